package libav

import (
	"context"
	"errors"
	"os"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// errNotCopied says that packets cannot be copied as requested. The request is then re-encoded.
var errNotCopied = errors.New("cannot copy the packets")

// Trim writes part of an asset. By default it re-encodes: exact to the frame, or to the millisecond
// for audio alone. The output is an MP4 of the source's own size and rate (at most 60 frames a
// second). It is an M4A if the asset has no video or the request sets AudioOnly.
//
// Fast copies packets of codecs that an MP4 can hold. Each segment then starts at the keyframe at
// or before it, so a cut can become shorter or vanish. If packets cannot be copied, Trim re-encodes
// after all. progress is called as by Render. On failure nothing is left at OutPath.
//
// Errors: *av.MediaError if the asset is an image, if nothing is left, or if audio is requested
// from an asset without audio; as Render.
func (e *Engine) Trim(
	ctx context.Context,
	request media.TrimRequest,
	progress func(fraction float64),
) (media.Asset, error) {
	progress = monotonic(progress)
	l, err := e.inspect(ctx, request.Path, subProgress(progress, 0, 0.05))
	if err != nil {
		return media.Asset{}, err
	}

	audioOnly := request.AudioOnly || l.asset.Kind == media.KindAudio
	removed := request.RemovedSpans(l.asset.Info.DurationMS)
	switch {
	case l.asset.Kind == media.KindImage:
		return media.Asset{}, av.Errorf("this is an image, which has no length to trim")
	case audioOnly && l.asset.Info.Audio == nil:
		return media.Asset{}, av.ErrNoAudio()
	case len(media.KeptSpans(l.asset.Info.DurationMS, removed)) == 0:
		return media.Asset{}, av.Errorf(
			"nothing of this file would be left; choose a range within the file that is not cut out",
		)
	}

	writing, inspecting := subProgress(progress, 0.05, 0.95), subProgress(progress, 0.95, 1)
	if request.Fast {
		written, err := e.copySegments(ctx, request, l, audioOnly, writing, inspecting)
		if !errors.Is(err, errNotCopied) {
			return written, err
		}
	}

	plan, err := media.NewRenderPlan([]media.RenderClip{{Path: request.Path, Info: l.asset.Info}}, removed,
		media.RenderSettings{AspectRatio: "source", VolumePercent: 100, AudioOnly: audioOnly, DropOtherTracks: true})
	if errors.Is(err, media.ErrNothingLeft) {
		return media.Asset{}, av.Errorf(
			"nothing of this file would be left: the rest is shorter than one frame; choose a longer range",
		)
	}

	if err != nil {
		return media.Asset{}, err
	}
	if _, err := e.Render(ctx, plan, request.OutPath, writing); err != nil {
		return media.Asset{}, err
	}
	return e.inspectWritten(ctx, request.OutPath, inspecting)
}

// inspectWritten inspects a newly written file and removes it if that fails.
func (e *Engine) inspectWritten(ctx context.Context, path string, progress func(float64)) (media.Asset, error) {
	l, err := e.inspect(ctx, path, progress)
	if err != nil {
		os.Remove(path)
		return media.Asset{}, err
	}

	return l.asset, nil
}

// monotonic passes on only increasing progress, because a re-encode after a failed copy starts
// again at 0.
func monotonic(progress func(float64)) func(float64) {
	last := 0.0
	return func(fraction float64) {
		if fraction > last && progress != nil {
			last = fraction
			progress(fraction)
		}
	}
}
