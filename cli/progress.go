package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar returns a function that shows progress from 0 to 1: as a bar on a terminal, otherwise not at
// all. The function is safe for concurrent use.
func bar(status io.Writer, title string) func(fraction float64) {
	file, ok := status.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func(float64) {}
	}
	drawn := progressbar.NewOptions(
		1000, progressbar.OptionSetWriter(file),
		progressbar.OptionSetDescription(fitted(title, titleWidth(file))),
		progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(file) }),
	)
	// a failure to draw the bar is harmless
	return func(fraction float64) { _ = drawn.Set(int(1000 * min(1, max(0, fraction)))) }
}

// Width of a bar without its title, and the least width of a title, in characters.
const (
	barWidth      = 64
	shortestTitle = 28
)

// titleWidth returns the number of characters that a terminal has for the title of a bar.
func titleWidth(terminal *os.File) int {
	width, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return shortestTitle
	}
	return max(shortestTitle, width-barWidth)
}

// fitted pads a title to shortestTitle characters and shortens it to width. The end stays, because
// it tells recordings of one camera apart.
func fitted(title string, width int) string {
	letters := []rune(title)
	if len(letters) <= width {
		return fmt.Sprintf("%-*s", shortestTitle, title)
	}
	const kept = 12 // at the end
	return string(letters[:width-kept-1]) + "…" + string(letters[len(letters)-kept:])
}
