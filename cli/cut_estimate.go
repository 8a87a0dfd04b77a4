package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/pipeline"
)

// announce prints how the video is rendered, how long that takes and how large it becomes. The
// figures are rougher if the indexes of the recordings cannot be read.
func (c *cutJob) announce(
	ctx context.Context,
	clips []media.RenderClip,
	tracks []pipeline.SpeechTrack,
	plan media.RenderPlan,
) error {
	in := estimate.Input{Plan: plan, Resolution: c.resolution, Aspect: c.aspect, Clips: clips}
	for i, clip := range clips {
		file, err := os.Stat(clip.Path)
		if err != nil {
			return fileCause(err)
		}
		in.Sources = append(in.Sources, estimate.Source{
			Name: filepath.Base(clip.Path), SizeBytes: file.Size(), Keyframes: tracks[i].Keyframes,
		})
	}

	if counts, err := c.engine.CountFrames(ctx, in.CountRequest()); err == nil {
		in.Counts = &counts
	} else if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	e := in.Estimate()
	need := e.SizeBytes
	if e.LowBytes < e.HighBytes {
		need = e.LowBytes // the rest is a guess
	}
	if err := checkSpace(filepath.Dir(c.output), "The video", need); err != nil {
		return err
	}
	if c.captions != "" && len(plan.Captions) == 0 && !plan.AudioOnly() {
		fmt.Fprintln(c.status, "No speech was recognized, so the video has no captions.")
	}
	for _, warning := range e.Warnings() {
		fmt.Fprintln(c.status, warning)
	}
	if why := plan.MixedBecause(clips); c.channels && why != "" {
		fmt.Fprintf(c.status, "The audio does not keep all channels, because %s.\n", why)
	}
	_, err := fmt.Fprint(c.status, howRendered(e), "\n", loweredRates(clips, plan))
	return err
}

// loweredRates returns a line for each recording that loses frames, because the video has the lower
// frame rate of the first one, or the highest one of an export.
func loweredRates(clips []media.RenderClip, plan media.RenderPlan) (lines string) {
	for _, clip := range clips {
		v := clip.Info.Video
		if v == nil || v.Still || plan.AudioOnly() || !v.Rate.Exceeds(plan.Rate) {
			continue
		}
		because := "as the first recording has"
		if plan.Rate == media.MaxRate {
			because = "the most that exports have"
		}
		lines += fmt.Sprintf(
			"%s has %.5g frames a second, and the video %.5g, %s\n",
			filepath.Base(clip.Path), v.Rate.Float(), plan.Rate.Float(), because,
		)
	}

	return lines
}

// mentionedPercent is the least share of encoded frames that a copied video mentions.
const mentionedPercent = 5

// howRendered says how a video is rendered: "Copied, 12 % re-encoded, about 7 s, 113 MB".
func howRendered(e estimate.Result) string {
	size := fileSize(e.SizeBytes)
	if low, high := fileSize(e.LowBytes), fileSize(e.HighBytes); e.LowBytes < e.HighBytes && low != high {
		size = fmt.Sprintf("%s to %s", low, high)
	}
	figures := fmt.Sprintf("about %s, %s", roughTime(e.TookMS), size)
	percent := (100*(e.Frames-e.Copied) + e.Frames/2) / max(1, e.Frames) // that is encoded
	switch {
	case e.Width == 0:
		return "Audio only, " + figures
	case e.CopiesMost() && percent < mentionedPercent:
		return "Copied, " + figures
	case e.CopiesMost():
		return fmt.Sprintf("Copied, %d %% re-encoded, %s", percent, figures)
	case e.Copied > 0:
		figures = fmt.Sprintf("%d %% re-encoded, %s", percent, figures)
	default:
		figures = "Re-encoded, " + figures
	}

	if e.EncodedBecause != "" {
		figures += ", because " + e.EncodedBecause
	}
	return figures
}

// roughTime formats an estimated time as 20 s, 3 min 20 s or 1 h 5 min.
func roughTime(ms int64) string {
	s := max(1, (ms+500)/1000)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}

	return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
}
