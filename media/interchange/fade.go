package interchange

import "slices"

// fadePoint is a keyframe of a fade.
type fadePoint struct {
	frame int64   // after the start of the layer
	share float64 // of the opacity or the gain, 0-1
}

// share returns the share of the opacity or the gain at a frame after the start of the layer, like
// media.Overlay.OpacityAt.
func (l Layer) share(frame int64) float64 {
	share := 1.0
	if l.FadeIn > 0 {
		share = min(share, float64(l.Before+frame+1)/float64(l.FadeIn+1))
	}
	if l.FadeOut > 0 {
		share = min(share, float64(l.Frames()+l.After-frame)/float64(l.FadeOut+1))
	}
	return share
}

// fades returns the keyframes of the fades of a layer in order, none if it has the same opacity and
// gain all the time. Between two keyframes the share changes linearly.
func (l Layer) fades() []fadePoint {
	last := l.Frames() - 1
	in, out := l.FadeIn-l.Before, last+l.After-l.FadeOut // the last frames of the two ramps, inside
	frames := []int64{0, last, in, out}
	if in > out { // the ramps cross between two frames
		cross := floorDiv(out*(l.FadeIn+1)+in*(l.FadeOut+1), l.FadeIn+l.FadeOut+2)
		frames = append(frames, cross, cross+1)
	}

	slices.Sort(frames)
	var points []fadePoint
	for _, frame := range slices.Compact(frames) {
		if frame >= 0 && frame <= last {
			points = append(points, fadePoint{frame, l.share(frame)})
		}
	}

	if !slices.ContainsFunc(points, func(p fadePoint) bool { return p.share < 1 }) {
		return nil
	}
	return points
}

// fadeIn and fadeOut return how many frames a layer fades at its start and at its end.
func (l Layer) fadeIn() int64  { return max(0, min(l.FadeIn-l.Before, l.Frames())) }
func (l Layer) fadeOut() int64 { return max(0, min(l.FadeOut-l.After, l.Frames())) }
