package mediatest

import (
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
)

// Cost is the wall-clock time and the CPU time of a run.
type Cost struct{ Wall, CPU time.Duration }

// MeasureFunc measures f in this process.
func MeasureFunc(b testing.TB, f func() error) Cost {
	b.Helper()
	before, start := CPUTime(b), time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	wall := time.Since(start)
	return Cost{wall, CPUTime(b) - before}
}

// MeasureCommands measures commands, which it runs one after the other.
func MeasureCommands(b *testing.B, commands ...[]string) (c Cost) {
	b.Helper()
	for _, args := range commands {
		one := MeasureCommand(b, exec.Command(args[0], args[1:]...))
		c.Wall += one.Wall
		c.CPU += one.CPU
	}

	return c
}

// MeasureCommand measures one command.
func MeasureCommand(b *testing.B, cmd *exec.Cmd) Cost {
	b.Helper()
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", cmd.Path, err, out)
	}
	return Cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// TrimConcat returns the ffmpeg command that encodes a plan of one input as a person would: it
// trims the segments and joins them, with the preset and the quality of exports.
func TrimConcat(plan media.RenderPlan, out string) []string {
	var graph, joined strings.Builder
	for i, s := range plan.Segments {
		from, _, n := plan.Samples(s)
		fmt.Fprintf(&graph, "[0:v]trim=start_frame=%d:end_frame=%d,setpts=PTS-STARTPTS[v%d];", s.In, s.Out, i)
		fmt.Fprintf(&graph, "[0:a]atrim=start_sample=%d:end_sample=%d,asetpts=PTS-STARTPTS[a%d];", from, from+n, i)
		fmt.Fprintf(&joined, "[v%d][a%d]", i, i)
	}

	fmt.Fprintf(&graph, "%sconcat=n=%d:v=1:a=1[v][a]", joined.String(), len(plan.Segments))
	return []string{
		"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", plan.Inputs[0].Path,
		"-filter_complex", graph.String(), "-map", "[v]", "-map", "[a]", "-c:v", "libx264",
		"-preset", "veryfast", "-crf", "20", "-profile:v", "high", "-g", fmt.Sprint(plan.Rate.Frame(2000)),
		"-c:a", "aac", "-b:a", "192k", "-ar", "48000", "-ac", "2", "-movflags", "+faststart", out,
	}
}

// Minus returns the additional cost over another run.
func (c Cost) Minus(other Cost) Cost { return Cost{c.Wall - other.Wall, c.CPU - other.CPU} }

// Goal is a performance goal. Each measurement is logged as a table row with columns separated by
// "|": quantity, wall-clock ratio, CPU-time ratio, goal, limit, whether both ratios meet the goal,
// and the cost of both sides. A row that only the clock misses says "clock MISSED": on a busy
// machine, it may mean nothing.
type Goal struct {
	What  string  // the measured quantity
	Want  float64 // the highest acceptable ratio or value
	Limit string  // the best that seems possible
}

// Against runs ours and peer alternately, three times each. It logs the median ratios and returns
// the median cost of the peer.
func (g Goal) Against(b *testing.B, ours, peer func() Cost) Cost {
	b.Helper()
	var mine, theirs []Cost
	for range 3 {
		mine, theirs = append(mine, ours()), append(theirs, peer())
	}
	g.Compare(b, mine, theirs)
	return MedianCost(theirs)
}

// Over runs ours three times and compares it with an earlier cost of a peer.
func (g Goal) Over(b *testing.B, peer Cost, ours func() Cost) {
	b.Helper()
	var mine []Cost
	for range 3 {
		mine = append(mine, ours())
	}
	g.Compare(b, mine, slices.Repeat([]Cost{peer}, len(mine)))
}

// Compare logs the medians of the ratios of mine to theirs, run by run.
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
	clock, ratio := wall[len(wall)/2], cpu[len(cpu)/2]
	verdict := metText(ratio <= g.Want)
	if ratio <= g.Want && clock > g.Want {
		verdict = "clock " + metText(false)
	}
	b.Logf(
		"goal | %s | %.3f | %.3f | %g | %s | %s | %.2f s (%.2f s CPU) against %.2f s (%.2f s CPU)",
		g.What, clock, ratio, g.Want, g.Limit, verdict,
		x.Wall.Seconds(), x.CPU.Seconds(), y.Wall.Seconds(), y.CPU.Seconds(),
	)
}

// Figure logs a row without a peer. The value and the goal have the given unit.
func (g Goal) Figure(b *testing.B, value float64, unit string) {
	b.Helper()
	b.Logf("goal | %s | %.3g %s | | %g %s | %s | %s |",
		g.What, value, unit, g.Want, unit, g.Limit, metText(value <= g.Want))
}

func metText(yes bool) string {
	if yes {
		return "met"
	}
	return "MISSED"
}

// LogPeer logs the command lines that a goal is compared with. It shortens long ones in the middle.
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

// MedianCost returns the run with the median CPU time.
func MedianCost(runs []Cost) Cost {
	sorted := slices.SortedFunc(slices.Values(runs), func(a, b Cost) int { return cmp.Compare(a.CPU, b.CPU) })
	return sorted[len(sorted)/2]
}
