package desktop

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"roughcut/store/outfile"
)

// Smallest and initial size of the window, in points.
const (
	minWidth, minHeight     = 768, 560
	firstWidth, firstHeight = 1280, 800
)

// grip is the part of the window that has to stay on the screen so that a person can move it, in
// the units of Rect.
const grip = 120

// titleBar is about the height of a title bar, in the units of Rect.
const titleBar = 40

// Place is the state of the window when it was closed. The size is in points. The position is in
// points from the top left corner of all screens on Linux and of one screen on macOS, and in pixels
// on Windows: see screens there. A maximized window keeps the earlier ones.
type Place struct {
	Width, Height int
	X, Y          int
	Moved         bool // X and Y are valid
	Maximised     bool
	Zoom          float64 `json:",omitempty"` // of the page; 0 stands for 1
	Theme         string  `json:",omitempty"` // dark or light; empty to follow the desktop
}

// Rect is the usable part of a screen, in points, on Windows in pixels.
type Rect struct{ X, Y, Width, Height int }

// ReadPlace returns the place in a file, or the initial place if the file is missing or
// invalid.
func ReadPlace(file string) Place {
	place := Place{Width: firstWidth, Height: firstHeight}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &place) != nil || place.Width < minWidth || place.Height < minHeight {
		return Place{Width: firstWidth, Height: firstHeight}
	}
	return place
}

// Write replaces a file with the place.
func (p Place) Write(file string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	err = outfile.Write(file, outfile.Options{Replace: true, Mode: 0o600}, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("saving the window position: %w", err)
	}
	return nil
}

// Within fits the place, in the units of Rect, to the screens. A window without a position gets the
// middle of the first screen, as does one that would be out of reach, for example because its
// screen is gone.
func (p Place) Within(screens []Rect) Place {
	for _, s := range screens {
		x, y := p.X-s.X, p.Y-s.Y
		if p.Moved && x <= s.Width-grip && y <= s.Height-grip && x+p.Width >= grip && y >= 0 {
			p.Width, p.Height = min(p.Width, s.Width), min(p.Height, s.Height)
			return p
		}
	}

	p.Moved = false
	if len(screens) > 0 {
		s := screens[0]
		p.Width, p.Height = min(p.Width, s.Width), min(p.Height, s.Height-titleBar)
		p.X, p.Y = s.X+(s.Width-p.Width)/2, s.Y+(s.Height-titleBar-p.Height)/2
		p.Moved = true
	}

	return p
}
