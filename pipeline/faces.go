package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/face"
	"roughcut/store"
)

// The frames in which Faces looks for faces. It looks again between two frames in which the face is
// in other places, until the time between them is short.
const (
	faceFrames    = 12   // at most, if the face does not move
	faceEveryMS   = 3000 // at most one frame in this time, if the face does not move
	movingEveryMS = 4000 // on average, if it moves
	movingFrames  = 300  // at most, if it moves
	movingGapMS   = 1000 // frames are not closer than that
	faceMoved     = 0.08 // of the frame
	faceSide      = 360  // pixels of the short side
	faceLongest   = 1280 // pixels of the long side
)

// faceSample holds the faces in a frame of a recording.
type faceSample struct {
	ms    int64
	faces []media.Face
}

// Faces returns the main face of a ready clip at a few times, or many if it moves. Unless they are
// known, it decodes keyframes, looks for faces in them and stores the result. Without video there
// are none.
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
	look := func(ms int64) ([]media.Face, error) {
		n := min(plan.Rate.Frame(ms)+1, plan.Frames()-1) // the frame after a keyframe needs no other one
		data, err := engine.Still(ctx, plan, n, media.StillJPEG)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if fault := FileFault(nil); errors.As(err, &fault) || errors.Is(err, media.ErrNothingLeft) {
			return nil, errNoFrame
		}
		if err != nil {
			return nil, err
		}
		return facesIn(finder, data, ms)
	}
	samples, err := sampleFaces(clip.Info.DurationMS, keyframes, look)
	if err != nil {
		return nil, fmt.Errorf("looking for faces: %w", err)
	}
	var frames [][]media.Face
	for _, s := range samples {
		frames = append(frames, s.faces)
	}
	return media.MainFaces(frames), nil
}

// errNoFrame is the error of a frame that cannot be decoded.
var errNoFrame = errors.New("the frame cannot be decoded")

// facesIn returns the faces in a JPEG of the frame at a time.
func facesIn(finder *face.Finder, data []byte, ms int64) (found []media.Face, err error) {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if picture, ok := img.(*image.YCbCr); ok {
		found = finder.Find(picture)
	}
	for i := range found {
		found[i].MS = ms
	}
	return found, nil
}

// sampleFaces looks for faces in evenly spread frames, and then where the largest face moves. The
// samples are in order of time. Frames for which look returns errNoFrame are left out.
func sampleFaces(
	durationMS int64, keyframes []int64, look func(ms int64) ([]media.Face, error),
) (samples []faceSample, err error) {
	gone := map[int64]bool{}
	add := func(ms int64) error {
		found, err := look(ms)
		if errors.Is(err, errNoFrame) {
			gone[ms] = true
			return nil
		}
		if err != nil {
			return err
		}
		i, _ := slices.BinarySearchFunc(samples, ms, func(s faceSample, ms int64) int { return cmp.Compare(s.ms, ms) })
		samples = slices.Insert(samples, i, faceSample{ms, found})
		return nil
	}
	for _, ms := range faceTimes(durationMS, keyframes) {
		if err := add(ms); err != nil {
			return nil, err
		}
	}
	for len(samples)+len(gone) < int(min(durationMS/movingEveryMS, movingFrames)) {
		ms, found := whereFaceMoves(samples, keyframes, gone)
		if !found {
			break
		}
		if err := add(ms); err != nil {
			return nil, err
		}
	}
	return samples, nil
}

// whereFaceMoves returns a time in the middle of the longest gap between two samples in which, or
// next to which, the largest face moves: it may go and come back within a gap. The time is a
// keyframe if they are known, and not one that is gone.
func whereFaceMoves(samples []faceSample, keyframes []int64, gone map[int64]bool) (at int64, found bool) {
	moves := make([]bool, len(samples)+1) // between the sample of an index and the one before
	for i := 1; i < len(samples); i++ {
		moves[i] = moved(samples[i-1].faces, samples[i].faces)
	}
	longest := int64(2*movingGapMS - 1)
	for i := 1; i < len(samples); i++ {
		before, after := samples[i-1], samples[i]
		gap := after.ms - before.ms
		if gap <= longest || !slices.Contains(moves[i-1:i+2], true) {
			continue
		}
		if ms, usable := middleOf(before.ms, after.ms, keyframes, gone); usable {
			at, found, longest = ms, true, gap
		}
	}
	return at, found
}

// middleOf returns the keyframe that is nearest to the middle between two times, or the middle if
// no keyframes are known. Keyframes that are near an end or gone do not count.
func middleOf(start, end int64, keyframes []int64, gone map[int64]bool) (at int64, found bool) {
	middle := start + (end-start)/2
	if len(keyframes) == 0 {
		return middle, !gone[middle]
	}
	from, _ := slices.BinarySearch(keyframes, start+movingGapMS)
	for _, k := range keyframes[from:] {
		if k > end-movingGapMS {
			break
		}
		if !gone[k] && (!found || max(k-middle, middle-k) < max(at-middle, middle-at)) {
			at, found = k, true
		}
	}
	return at, found
}

// moved reports whether the largest face is in other places in two frames.
func moved(before, after []media.Face) bool {
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	size := func(a, b media.Face) int { return cmp.Compare(a.Size, b.Size) }
	a, b := slices.MaxFunc(before, size), slices.MaxFunc(after, size)
	return math.Abs(a.X-b.X) > faceMoved || math.Abs(a.Y-b.Y) > faceMoved
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
