package mediatest

import (
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cost is what a run took.
type Cost struct{ Wall, CPU time.Duration }

// MeasureFunc measures f in this process.
func MeasureFunc(b testing.TB, f func() error) Cost {
	b.Helper()
	before, start := cpuTime(b), time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	wall := time.Since(start)
	return Cost{wall, cpuTime(b) - before}
}

func cpuTime(b testing.TB) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// MeasureCommands measures commands that run one after the other.
func MeasureCommands(b *testing.B, commands ...[]string) (c Cost) {
	b.Helper()
	for _, args := range commands {
		cmd := exec.Command(args[0], args[1:]...)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", args[0], err, out)
		}
		c.Wall += time.Since(start)
		c.CPU += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return c
}

// Minus returns what a run takes beyond another one.
func (c Cost) Minus(other Cost) Cost { return Cost{c.Wall - other.Wall, c.CPU - other.CPU} }

// Goal is a figure that performance asks for. What is measured is written as a row of a table, its
// columns divided by "|": number, what, ratio by the clock, ratio by the processors' time, goal,
// limit, whether it is met by the processors' time, and what both took.
type Goal struct {
	What  string  // in words
	Want  float64 // the ratio to stay below
	Limit string  // what is thought possible
}

// Against measures ours and the peer's in turn, three pairs, and writes the medians of our time
// over the peer's. It returns the peer's median.
func (g Goal) Against(b *testing.B, ours, peer func() Cost) Cost {
	b.Helper()
	var mine, theirs []Cost
	for range 3 {
		mine, theirs = append(mine, ours()), append(theirs, peer())
	}
	g.Compare(b, mine, theirs)
	return MedianCost(theirs)
}

// Over measures ours three times over what a peer took before.
func (g Goal) Over(b *testing.B, peer Cost, ours func() Cost) {
	b.Helper()
	var mine []Cost
	for range 3 {
		mine = append(mine, ours())
	}
	g.Compare(b, mine, slices.Repeat([]Cost{peer}, len(mine)))
}

// Compare writes the medians of our time over the peer's, run by run.
func (g Goal) Compare(b *testing.B, mine, theirs []Cost) {
	b.Helper()
	var wall, cpu []float64
	for i := range mine {
		wall = append(wall, mine[i].Wall.Seconds()/theirs[i].Wall.Seconds())
		cpu = append(cpu, mine[i].CPU.Seconds()/theirs[i].CPU.Seconds())
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	x, y := MedianCost(mine), MedianCost(theirs)
	by := cpu[len(cpu)/2]
	b.Logf(
		"goal | %s | %.3f | %.3f | %g | %s | %s | %.2f s (%.2f s CPU) against %.2f s (%.2f s CPU)",
		g.What,
		wall[len(wall)/2],
		by,
		g.Want,
		g.Limit,
		met(by <= g.Want),
		x.Wall.Seconds(),
		x.CPU.Seconds(),
		y.Wall.Seconds(),
		y.CPU.Seconds(),
	)
}

// Figure writes a row for what has no peer; unit is that of the value and of the goal.
func (g Goal) Figure(b *testing.B, value float64, unit string) {
	b.Helper()
	b.Logf(
		"goal | %s | %.3g %s | | %g %s | %s | %s |",
		g.What,
		value,
		unit,
		g.Want,
		unit,
		g.Limit,
		met(value <= g.Want),
	)
}

func met(yes bool) string {
	if yes {
		return "met"
	}
	return "MISSED"
}

// LogPeer writes the command lines that a goal is measured against, long ones shortened in their
// middle.
func LogPeer(b *testing.B, what string, commands ...[]string) {
	b.Helper()
	const most, head, tail = 900, 500, 350
	for _, args := range commands {
		line := strings.Join(args, " ")
		if len(line) > most {
			line = fmt.Sprintf("%s … %s", line[:head], line[len(line)-tail:])
		}
		b.Logf("peer | %s | %s", what, line)
	}
}

// MedianCost returns the median run by the processors' time.
func MedianCost(runs []Cost) Cost {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b Cost) int { return cmp.Compare(a.CPU, b.CPU) })
	return sorted[len(sorted)/2]
}
