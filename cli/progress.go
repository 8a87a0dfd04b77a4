package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressLine is a line of a terminal that shows how far a step is. It is redrawn several times a
// second, so that its time runs even while the step reports nothing.
type progressLine struct {
	terminal *os.File // nil: nothing is drawn
	stop     chan struct{}
	stopped  chan struct{}
	mu       sync.Mutex
	state    progressState
}

// progressState is what a progress line shows.
type progressState struct {
	title    string
	fraction float64   // from 0 to 1
	started  time.Time // of the step
	since    time.Time // of the work that the remaining time is estimated from
	from     float64   // the fraction at since
	moved    time.Time // when the fraction last grew
}

// showProgress draws a progress line if status is a terminal. End it with end.
func showProgress(status io.Writer, title string) *progressLine {
	p := &progressLine{stop: make(chan struct{}), stopped: make(chan struct{})}
	now := time.Now()
	p.state = progressState{title: title, started: now, since: now, moved: now}
	file, ok := status.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		close(p.stopped)
		return p
	}

	p.terminal = file
	go p.redraw()
	return p
}

// redraw draws the line until stop is closed.
func (p *progressLine) redraw() {
	defer close(p.stopped)
	ticks := time.NewTicker(200 * time.Millisecond)
	defer ticks.Stop()
	for {
		p.mu.Lock()
		state := p.state
		p.mu.Unlock()
		width, _, err := term.GetSize(int(p.terminal.Fd()))
		if err != nil {
			width = 80
		}
		fmt.Fprint(p.terminal, "\r\x1b[K"+state.line(time.Now(), width))
		select {
		case <-p.stop:
			return
		case <-ticks.C:
		}
	}
}

// set shows a fraction from 0 to 1. It is safe for concurrent use. A fraction that is lower than
// before is ignored.
func (p *progressLine) set(fraction float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fraction = min(1, fraction); fraction > p.state.fraction {
		p.state.fraction, p.state.moved = fraction, time.Now()
	}
}

// phase begins work of another speed. The remaining time is estimated from this work alone.
func (p *progressLine) phase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.since, p.state.from = time.Now(), p.state.fraction
}

// end replaces the line by the title and the time that the step took.
func (p *progressLine) end() {
	if p.terminal == nil {
		return
	}
	close(p.stop)
	<-p.stopped
	fmt.Fprintf(p.terminal, "\r\x1b[K%s: %s\n", p.state.title, elapsedTime(time.Since(p.state.started)))
}

// The widest bar, and the narrowest one, in characters. Where a title leaves less room, no bar is
// drawn.
const (
	widestBar    = 30
	narrowestBar = 8
)

// line returns the text of the line for a terminal of a width in characters.
func (s progressState) line(now time.Time, width int) string {
	tail := fmt.Sprintf("%3d %%  %s", int(100*s.fraction), elapsedTime(now.Sub(s.started)))
	if left, ok := s.left(now); ok {
		tail += ", " + timeLeft(left)
	}
	const longest = len("100 %  0:00:00, 1 h 20 min left") // the title and the bar do not move with the tail
	title := truncateStart(s.title, width-longest-3)
	bar := min(widestBar, width-longest-3-len([]rune(title)))
	if bar < narrowestBar {
		return title + "  " + tail
	}
	full := int(float64(bar) * s.fraction)
	return title + " " + strings.Repeat("█", full) + strings.Repeat("░", bar-full) + " " + tail
}

// left estimates the remaining time. It does so after two seconds of work, as long as the step is
// not overdue.
func (s progressState) left(now time.Time) (time.Duration, bool) {
	done, worked := s.fraction-s.from, s.moved.Sub(s.since)
	if done <= 0.01 || worked < 2*time.Second || s.fraction >= 1 {
		return 0, false
	}
	left := time.Duration(float64(worked)*(1-s.fraction)/done) - now.Sub(s.moved)
	return left, left > 0
}

// timeLeft returns a remaining time in words, such as "5 s left" or "1 h 20 min left". It rounds
// up.
func timeLeft(d time.Duration) string {
	seconds := int((d + time.Second - 1) / time.Second)
	minutes := (seconds + 59) / 60
	switch {
	case seconds < 60:
		return fmt.Sprintf("%d s left", seconds)
	case minutes < 60:
		return fmt.Sprintf("%d min left", minutes)
	default:
		return fmt.Sprintf("%d h %d min left", minutes/60, minutes%60)
	}
}

// elapsedTime formats a duration as m:ss or h:mm:ss.
func elapsedTime(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// truncateStart shortens a title to width. The end stays, because it tells recordings of one camera
// apart.
func truncateStart(title string, width int) string {
	const kept = 12 // at the end
	letters := []rune(title)
	width = max(width, kept+8)
	if len(letters) <= width {
		return title
	}
	return string(letters[:width-kept-1]) + "…" + string(letters[len(letters)-kept:])
}
