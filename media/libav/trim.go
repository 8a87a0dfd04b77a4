package libav

import (
	"context"
	"errors"
	"os"

	"roughcut/media"
)

// errNotCopied says that packets cannot be copied as a request asks; encoding anew can.
var errNotCopied = errors.New("the packets cannot be copied")

// Trim writes part of an asset. It is encoded anew, to the frame and for sound alone to the
// millisecond: an MP4 of the source's own size and rate (at most 60 frames a second), or an M4A
// where the asset has no picture or AudioOnly is asked for. Fast copies the packets of those codecs
// that an MP4 can hold: each part that stays then begins at the keyframe at or before it, so that a
// cut may become shorter or vanish. What cannot be copied is encoded anew after all. progress is
// called as by Render; when it fails, nothing is left at OutPath. Errors: *MediaError where the
// asset is an image, where nothing is left, and where sound is asked of what has none; as Render.
func (e *Engine) Trim(
	ctx context.Context,
	request media.TrimRequest,
	progress func(fraction float64),
) (media.Asset, error) {
	progress = rising(progress)
	l, err := e.lookAt(ctx, request.Path, part(progress, 0, 0.05))
	if err != nil {
		return media.Asset{}, err
	}
	soundOnly := request.AudioOnly || l.asset.Kind == media.KindAudio
	removed := request.RemovedSpans(l.asset.Info.DurationMS)
	switch {
	case l.asset.Kind == media.KindImage:
		return media.Asset{}, mediaErrorf("this is an image: it has no length that could be trimmed")
	case soundOnly && l.asset.Info.Audio == nil:
		return media.Asset{}, errNoSound()
	case len(media.KeptSpans(l.asset.Info.DurationMS, removed)) == 0:
		return media.Asset{}, mediaErrorf(
			"nothing would be left of this file: choose a range that lies within it and is not cut out of it",
		)
	}
	writing, looking := part(progress, 0.05, 0.95), part(progress, 0.95, 1)
	if request.Fast {
		written, err := e.copyParts(ctx, request, l, soundOnly, writing, looking)
		if !errors.Is(err, errNotCopied) {
			return written, err
		}
	}
	plan, err := media.NewRenderPlan([]media.RenderClip{{Path: request.Path, Info: l.asset.Info}}, removed,
		media.RenderSettings{AspectRatio: "source", VolumePercent: 100, AudioOnly: soundOnly})
	if errors.Is(err, media.ErrNothingLeft) {
		return media.Asset{}, mediaErrorf("nothing would be left of this file: what stays is shorter than one frame")
	}
	if err != nil {
		return media.Asset{}, err
	}
	if _, err := e.Render(ctx, plan, request.OutPath, writing); err != nil {
		return media.Asset{}, err
	}
	return e.lookAtWritten(ctx, request.OutPath, looking)
}

// lookAtWritten looks at a file that was just written, and removes it where it is not what it
// should be.
func (e *Engine) lookAtWritten(ctx context.Context, path string, progress func(float64)) (media.Asset, error) {
	l, err := e.lookAt(ctx, path, progress)
	if err != nil {
		os.Remove(path)
		return media.Asset{}, err
	}
	return l.asset, nil
}

// rising passes on what is more than before: a trim that copies in vain begins anew.
func rising(progress func(float64)) func(float64) {
	last := 0.0
	return func(fraction float64) {
		if fraction > last && progress != nil {
			last = fraction
			progress(fraction)
		}
	}
}
