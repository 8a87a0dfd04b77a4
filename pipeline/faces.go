package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"slices"

	"roughcut/media"
	"roughcut/media/face"
	"roughcut/store"
)

// The frames in which Faces looks for faces.
const (
	faceFrames  = 12   // at most
	faceEveryMS = 3000 // at most one frame in this time
	faceSide    = 360  // pixels of the short side
	faceLongest = 1280 // pixels of the long side
)

// Faces returns the main face of a ready clip at a few times. Unless they are known, it decodes a
// few keyframes, looks for faces in them and stores the result. Without video there are none.
// Errors: a FileFault; those of Store.OriginalPath; the cause of ctx.
func (p *Pool) Faces(ctx context.Context, c store.Clip) ([]media.Face, error) {
	if c.FacesKnown || c.Info.Video == nil || c.Info.Video.Still {
		return c.Faces, nil
	}
	select {
	case p.looking <- struct{}{}:
		defer func() { <-p.looking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	path, err := p.Store.OriginalPath(c)
	if err != nil {
		return nil, err
	}
	finder, err := face.New()
	if err != nil {
		return nil, err
	}
	found, err := lookForFaces(ctx, p.Engine, finder, media.RenderClip{Path: path, Info: c.Info}, p.Store.Keyframes(c))
	if err != nil {
		return nil, err
	}
	return found, p.Store.SetFaces(c.UUID, found)
}

// lookForFaces returns the main face of a recording. A frame that cannot be decoded has none.
func lookForFaces(
	ctx context.Context, engine Renderer, finder *face.Finder, clip media.RenderClip, keyframes []int64,
) ([]media.Face, error) {
	v := clip.Info.Video
	short, long := min(v.Width, v.Height), max(v.Width, v.Height)
	plan, err := media.NewRenderPlan([]media.RenderClip{clip}, nil, media.RenderSettings{
		AspectRatio: media.AsRecorded, ShortSide: max(16, min(faceSide, short, faceLongest*short/long)),
	})
	if err != nil {
		return nil, asFileFault(err)
	}
	var frames [][]media.Face
	for _, ms := range faceTimes(clip.Info.DurationMS, keyframes) {
		n := min(plan.Rate.Frame(ms)+1, plan.Frames()-1) // the frame after a keyframe needs no other one
		data, err := engine.Still(ctx, plan, n, media.StillJPEG)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if fault := FileFault(nil); errors.As(err, &fault) || errors.Is(err, media.ErrNothingLeft) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking for faces: %w", err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("looking for faces: %w", err)
		}
		var found []media.Face
		if picture, ok := img.(*image.YCbCr); ok {
			found = finder.Find(picture)
		}
		for i := range found {
			found[i].MS = ms
		}
		frames = append(frames, found)
	}
	return media.MainFaces(frames), nil
}

// faceTimes returns the times at which to look for faces: evenly spread, at keyframes if they are
// known.
func faceTimes(durationMS int64, keyframes []int64) (times []int64) {
	n := min(max(durationMS/faceEveryMS, 1), faceFrames)
	for i := range n {
		at := durationMS * (2*i + 1) / (2 * n)
		if k, _ := slices.BinarySearch(keyframes, at); len(keyframes) > 0 {
			at = keyframes[max(0, k-1)]
		}
		if len(times) == 0 || at > times[len(times)-1] {
			times = append(times, at)
		}
	}
	return times
}

// findFaces finds the faces that an export follows. A recording in which they cannot be found keeps
// the center.
func (p *Pool) findFaces(ctx context.Context, in *store.ExportInput) error {
	for _, c := range in.FacesLeft {
		found, err := p.Faces(ctx, c)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.Log.Warn("looking for faces failed", "clip", c.UUID, "error", err)
		}
		for i := range in.Clips {
			if in.Clips[i].ID == c.ClipFileID {
				in.Clips[i].Faces = found
			}
		}
	}
	in.FacesLeft = nil
	return nil
}
