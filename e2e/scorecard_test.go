package e2e

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"
)

// card collects what was measured, with a goal beside each figure.
type card struct {
	t    *testing.T
	rows []cardRow
}

type cardRow struct {
	what, figure, goal string
	met                bool
}

// add takes a figure and fails the test where the goal is missed.
func (c *card) add(what, figure, goal string, met bool) {
	c.t.Helper()
	c.rows = append(c.rows, cardRow{what, figure, goal, met})
	if !met {
		c.t.Errorf("%s: %s, the goal is %s", what, figure, goal)
	}
}

// share takes how many of all are as they should be, and how many must be, in percent.
func (c *card) share(what string, n, all int, percent float64) {
	c.t.Helper()
	value := 100 * float64(n) / max(1, float64(all))
	c.add(
		what,
		fmt.Sprintf("%.1f %% (%d of %d)", value, n, all),
		fmt.Sprintf("%g %%", percent),
		all > 0 && value >= percent,
	)
}

// none takes how many are as none should be.
func (c *card) none(what string, n, all int) {
	c.t.Helper()
	c.add(what, fmt.Sprintf("%d of %d", n, all), "0", all > 0 && n == 0)
}

// atMost takes a figure with its unit and the most that it may be.
func (c *card) atMost(what string, value, most float64, unit string) {
	c.t.Helper()
	c.add(what, fmt.Sprintf("%.3g %s", value, unit), fmt.Sprintf("%g %s", most, unit), value <= most)
}

func (c *card) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nSCORECARD\tFIGURE\tGOAL\t")
	for _, r := range c.rows {
		mark := "met"
		if !r.met {
			mark = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.what, r.figure, r.goal, mark)
	}
	_ = w.Flush() // a table that cannot be printed is missed by who reads it
}

// TestLongScorecard measures made-up talks on their whole way: ingest, transcription, cuts, export.
// `make scorecard` prints its table.
func TestLongScorecard(t *testing.T) {
	if os.Getenv("ROUGHCUT_LONG") == "" {
		t.Skip("takes minutes; set ROUGHCUT_LONG=1")
	}
	c := &card{t: t}
	defer c.print()
	talks := scoredTalks(t)
	c.scoreWords(talks)
	c.scoreCuts(talks)
	c.scoreExport(talks[1])
	c.scoreLoudness(talks[0])
	c.scoreThousandCuts()
}
