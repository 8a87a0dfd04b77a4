package e2e

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"
)

// card collects measurements and their goals.
type card struct {
	t    *testing.T
	rows []cardRow
	// taught has the figures of the voices that the detectors learned from, if there are any. The
	// card prints them for comparison.
	taught *card
	spares bool // a missed goal does not fail the test
}

type cardRow struct {
	what, figure, goal string
	met                bool
}

// add records a measurement. It fails the test if the goal is missed.
func (c *card) add(what, figure, goal string, met bool) {
	c.t.Helper()
	c.rows = append(c.rows, cardRow{what, figure, goal, met})
	if !met && !c.spares {
		c.t.Errorf("%s: %s, goal %s", what, figure, goal)
	}
}

// share records that n of all are right, with a goal in percent.
func (c *card) share(what string, n, all int, percent float64) {
	c.t.Helper()
	value := 100 * float64(n) / max(1, float64(all))
	c.add(
		what, fmt.Sprintf("%.1f %% (%d of %d)", value, n, all), fmt.Sprintf("%g %%", percent),
		all > 0 && value >= percent,
	)
}

// none records that n of all are wrong, with the goal 0.
func (c *card) none(what string, n, all int) {
	c.t.Helper()
	c.add(what, fmt.Sprintf("%d of %d", n, all), "0", all > 0 && n == 0)
}

// atMost records a measurement with its unit and its upper limit.
func (c *card) atMost(what string, value, most float64, unit string) {
	c.t.Helper()
	c.add(what, fmt.Sprintf("%.3g %s", value, unit), fmt.Sprintf("%g %s", most, unit), value <= most)
}

func (c *card) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	heading := "FIGURE"
	if c.taught != nil {
		heading = "FIGURE\tTRAINED VOICES"
	}
	fmt.Fprintf(w, "\nSCORECARD\t%s\tGOAL\t\n", heading)
	for _, r := range c.rows {
		mark := "met"
		if !r.met {
			mark = "MISSED"
		}
		if c.taught != nil {
			r.figure += "\t" + c.taught.figureOf(r.what)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.what, r.figure, r.goal, mark)
	}
	_ = w.Flush()
}

// figureOf returns the figure of a row, or a dash if the card has no such row.
func (c *card) figureOf(what string) string {
	for _, r := range c.rows {
		if r.what == what {
			return r.figure
		}
	}
	return "-"
}

// TestLongScorecard measures ingest, transcription, cuts and exports of generated talks. `make
// scorecard` prints its table.
func TestLongScorecard(t *testing.T) {
	needsLong(t)
	c := &card{t: t}
	defer c.print()
	talks := scoredTalks(t)
	c.scoreWords(talks)
	c.scoreImported(talks)
	c.scoreVocabulary()
	c.scoreCuts(talks)
	c.scoreHiddenFillers(talks)
	c.scoreExport(talks[1])
	c.scoreLoudness(talks[0])
	c.scoreThousandCuts()
}
