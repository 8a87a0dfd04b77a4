package pipeline

import (
	"context"
	"slices"

	"roughcut/media"
	"roughcut/store"
)

// Faces returns the main face of a ready clip at a few times, or many if it moves. Unless the faces
// are known, it searches for them and stores the result. A clip without video has no faces. Errors:
// a FileFault; as Store.OriginalPath; the cause of ctx.
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
	found, err := p.Engine.Faces(ctx, media.FacesRequest{Path: path, Info: c.Info, Keyframes: p.Store.Keyframes(c)})
	if err != nil {
		return nil, err
	}
	return found, p.Store.SetFaces(c.UUID, found)
}

// withFaces returns the input of an export with the faces that the export follows. If the search
// fails for a recording, the export keeps its center. Errors: the cause of ctx.
func (p *Pool) withFaces(ctx context.Context, in store.ExportInput) (store.ExportInput, error) {
	clips := slices.Clone(in.Clips)
	for _, c := range in.FacesLeft {
		found, err := p.Faces(ctx, c)
		if ctx.Err() != nil {
			return in, context.Cause(ctx)
		}
		if err != nil {
			p.Log.Warn("looking for faces failed", "clip", c.UUID, "error", err)
		}
		for i := range clips {
			if clips[i].ID == c.ClipFileID {
				clips[i].Faces = found
			}
		}
	}

	in.Clips, in.FacesLeft = clips, nil
	return in, nil
}
