package detect

import "roughcut/media"

// calibration maps the confidence that a detector computes to the share of such edits that are
// right. Points are sorted; values between them are interpolated. Every curve passes through
// activeFrom, so that it changes no default.
//
// The points come from the table CONFIDENCE that `make scorecard` prints for recorded voices, from
// its rows of the trained voices. To measure them again, return identity from curveOf, run it, and
// enter the share of right edits at the mean confidence of each row, at most mostCertain.
type calibration []point

type point struct{ computed, shown float64 }

// mostCertain is the highest confidence that is shown. The recordings behind the curves hold too
// few mistakes for more.
const mostCertain = 0.99

// curveOf returns the calibration of the edits of a type. Types without a curve are shown as
// computed.
func curveOf(kind string) calibration {
	identity := calibration{{0, 0}, {1, 1}}
	switch kind {
	case media.EditSilence:
		return calibration{{0, 0}, {0.3, 0.1}, {activeFrom, activeFrom}, {0.68, 0.96}, {0.76, 0.98}, {1, mostCertain}}
	case media.EditFiller:
		return calibration{{0, 0}, {activeFrom, activeFrom}, {0.55, 0.9}, {0.62, 0.96}, {1, mostCertain}}
	}

	return identity
}

// show returns the confidence to show for a computed one. It interpolates between the points.
func (c calibration) show(computed float64) float64 {
	from := c[0]
	for _, to := range c[1:] {
		if computed <= to.computed {
			share := max(computed-from.computed, 0) / (to.computed - from.computed)
			return round2(from.shown + (to.shown-from.shown)*share)
		}

		from = to
	}

	return round2(from.shown)
}
