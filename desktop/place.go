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
// points.
const grip = 120

// Place is the position and size of the window when it was closed, in points from the top left
// corner of its screen.
type Place struct {
	Width, Height int
	X, Y          int
	Moved         bool // X and Y are valid
	Maximised     bool // the other fields are those before it was maximized
}

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

// Within fits the place to a screen of the given size. If the window would be out of reach, for
// example because its screen is gone, the position is dropped.
func (p Place) Within(width, height int) Place {
	p.Width, p.Height = min(p.Width, width), min(p.Height, height)
	if p.X > width-grip || p.Y > height-grip || p.X+p.Width < grip || p.Y < 0 {
		p.Moved = false
	}
	return p
}
