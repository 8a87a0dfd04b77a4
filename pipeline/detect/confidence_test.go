package detect

import (
	"testing"

	"roughcut/media"
)

func TestConfidenceCurvesKeepTheOrderAndTheDefault(t *testing.T) {
	for _, k := range media.EditKinds() {
		kind, curve, last := k.Name, curveOf(k.Name), -1.0
		for x := 0.0; x <= 1; x += 0.01 {
			shown := curve.show(x)
			if shown < last || shown < 0 || shown > 1 {
				t.Errorf("%s: a computed confidence of %.2f shows %.2f after %.2f", kind, x, shown, last)
			}
			last = shown
		}
		if got := curve.show(activeFrom); got != activeFrom {
			t.Errorf("%s: the threshold of active edits shows %.2f", kind, got)
		}
	}
}
