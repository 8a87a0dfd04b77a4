package detect

import "roughcut/media"

// Limits of motion. The values are relative to the calm of the recording: see media.MotionOf.
const (
	clearMotion    = 1.5 * media.MotionOctave // nearly three times the change of a calm second
	motionGapMS    = 2000                     // of calm that does not end a motion
	shortestMotion = 1000                     // in milliseconds; shorter motions are a blink or a nod
)

// motionIn returns how long the video clearly moves during a span, in milliseconds. moves reports
// whether the video moves during most of the span, as in a demonstration. Evidence without motion,
// such as evidence of earlier versions, never moves.
func (e Evidence) motionIn(span media.Span) (movingMS int64, moves bool) {
	var seconds []media.Span
	for i := max(span.StartMS/1000, 0); i < int64(len(e.Motion)) && i*1000 < span.EndMS; i++ {
		if float64(e.Motion[i]) < clearMotion {
			continue
		}
		second := media.Span{StartMS: i * 1000, EndMS: (i + 1) * 1000}.Intersect(span)
		if last := len(seconds) - 1; last >= 0 && second.StartMS-seconds[last].EndMS <= motionGapMS {
			seconds[last].EndMS = second.EndMS
			continue
		}

		seconds = append(seconds, second)
	}

	for _, s := range seconds {
		movingMS += s.Duration()
	}
	return movingMS, movingMS >= shortestMotion && 2*movingMS >= span.Duration()
}
