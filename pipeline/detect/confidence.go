package detect

// calibration maps the confidence that a detector computes to the share of such edits that are
// right. Points are sorted; values between them are interpolated. Every curve passes through
// activeFrom, so that it changes no default.
//
// The points come from the table CONFIDENCE that `make scorecard` prints for recorded voices. To
// measure them again, return identity from curveOf, run it, and enter the share of right edits at
// the mean confidence of each row, at most mostCertain.
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
	case Silence:
		return calibration{{0, 0}, {0.3, 0.1}, {activeFrom, activeFrom}, {0.68, 0.96}, {0.76, 0.98}, {1, mostCertain}}
	case Filler:
		return calibration{{0, 0}, {activeFrom, activeFrom}, {0.55, 0.9}, {0.62, 0.96}, {1, mostCertain}}
	}
	return identity
}

// axes returns a point as argument and value of show.
func (p point) axes() (x, y float64) { return p.computed, p.shown }

// inverse returns a point as argument and value of compute.
func (p point) inverse() (x, y float64) { return p.shown, p.computed }

// show returns the confidence to show for a computed one.
func (c calibration) show(computed float64) float64 { return round2(c.at(computed, point.axes)) }

// compute returns the computed confidence that is shown as the given one. Above the end of the
// curve it returns more than 1, which no edit reaches.
func (c calibration) compute(shown float64) float64 {
	if _, most := c[len(c)-1].axes(); shown > most {
		return 2
	}
	return c.at(shown, point.inverse)
}

// at interpolates between the points.
func (c calibration) at(arg float64, axes func(point) (x, y float64)) float64 {
	fromX, fromY := axes(c[0])
	for _, p := range c[1:] {
		toX, toY := axes(p)
		if arg <= toX {
			return fromY + (toY-fromY)*max(arg-fromX, 0)/(toX-fromX)
		}
		fromX, fromY = toX, toY
	}
	return fromY
}
