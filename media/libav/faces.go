package libav

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"roughcut/media"
	"roughcut/media/face"
	"roughcut/media/libav/av"
)

const (
	// facesCPU is how much processor time Faces uses before it stops searching frames. A frame
	// takes about 40 ms at 1080p, and 150 ms at 8K.
	facesCPU    = 4 * time.Second
	faceSide    = 360  // pixels of the short side of a frame that is searched
	faceLongest = 1280 // pixels of its long side
)

// errEnoughFaces ends a search for faces that has used its processor time.
var errEnoughFaces = errors.New("the search for faces has used its processor time")

// Faces returns the main face of a recording at a few times, or many if it moves. It decodes
// keyframes for a few seconds at most. Frames that cannot be decoded have no faces. Errors:
// *av.MediaError for a file that cannot be read; a build without the face detector; the cause of
// ctx.
func (e *Engine) Faces(ctx context.Context, request media.FacesRequest) ([]media.Face, error) {
	finder, err := face.New()
	if err != nil {
		return nil, err
	}
	whole := ctx
	ctx, m := av.NewMeter(ctx, nil, e.stall)
	defer m.Close()
	m.Checks = 1 // frames can be large
	m.LimitCPU(e.clock, e.facesCPU, errEnoughFaces)
	found, err := e.faces(ctx, m, finder, request)
	if errors.Is(context.Cause(ctx), errEnoughFaces) && whole.Err() == nil {
		err = nil
	}
	return found, av.Because(whole, err)
}

// faces returns also with an error the main face of the frames that were decoded.
func (e *Engine) faces(
	ctx context.Context, m *av.Meter, finder *face.Finder, request media.FacesRequest,
) ([]media.Face, error) {
	v := request.Info.Video
	at, err := av.Locate(ctx, request.Path)
	if err != nil {
		return nil, err
	}
	video, err := av.OpenVideo(ctx, request.Path, at.Origin, v.Rate, e.decodeThreads())
	if err != nil {
		return nil, err
	}
	defer video.Close()
	short, long := min(v.Width, v.Height), max(v.Width, v.Height)
	scale := min(1, faceSide/float64(short), faceLongest/float64(long))
	side := func(n int) int { return max(16, int(math.Round(float64(n)*scale/2))*2) }
	c := av.Canvas{Width: side(v.Width), Height: side(v.Height), Fit: media.Letterbox}
	last := v.Rate.Frame(request.Info.DurationMS)
	video.Alive = m.Alive
	look := func(ms int64) (faces []media.Face, err error) {
		f, _, err := video.At(min(v.Rate.Frame(ms)+1, last)) // the frame after a keyframe needs no other one
		var damage *av.MediaError
		switch {
		case ctx.Err() != nil:
			return nil, face.ErrEnough
		case errors.Is(err, io.EOF), errors.As(err, &damage):
			return nil, face.ErrNoFrame
		case err != nil:
			return nil, err
		}

		img, err := drawFrame(c, f, video.Orient(f))
		if err != nil {
			return nil, err
		}
		faces = finder.Find(img)
		for i := range faces {
			faces[i].MS = ms
		}
		m.Alive()
		return faces, nil
	}
	frames, err := face.Sample(request.Info.DurationMS, request.Keyframes, look)
	if err == nil {
		err = context.Cause(ctx)
	}
	return media.MainFaces(frames), err
}
