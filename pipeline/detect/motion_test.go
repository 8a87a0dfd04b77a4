package detect

import (
	"slices"
	"testing"

	"roughcut/media"
)

func TestMotionDuringASilence(t *testing.T) {
	const slight, clear = 50, 90
	always := func(value byte) []byte { return slices.Repeat([]byte{value}, 20) }
	span := func(startMS, endMS int64) media.Span { return media.Span{StartMS: startMS, EndMS: endMS} }
	for name, c := range map[string]struct {
		motion []byte
		span   media.Span
		moving int64
		moves  bool
	}{
		"nothing is known":    {nil, span(0, 5000), 0, false},
		"calm":                {always(0), span(3000, 15_000), 0, false},
		"a talking head":      {always(slight), span(3000, 15_000), 0, false},
		"a demonstration":     {always(clear), span(3000, 15_000), 12_000, true},
		"parts of seconds":    {always(clear), span(3200, 4900), 1700, true},
		"typing":              {[]byte{0, clear, 0, 0, clear, clear, 0, clear, 0}, span(1000, 8000), 7000, true},
		"one change of slide": {[]byte{0, 0, clear, 0, 0, 0, 0, 0}, span(0, 8000), 1000, false},
		"a short pause":       {always(clear), span(3200, 3900), 700, false},
		"motion that ends":    {[]byte{clear, clear, clear, clear, 0, 0, 0, 0, 0}, span(1000, 12_000), 3000, false},
		"after the video":     {[]byte{clear, clear}, span(3000, 9000), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			moving, moves := Evidence{Motion: c.motion}.motionIn(c.span)
			if moving != c.moving || moves != c.moves {
				t.Errorf("moving for %d ms, %v; want %d ms, %v", moving, moves, c.moving, c.moves)
			}
		})
	}
}
