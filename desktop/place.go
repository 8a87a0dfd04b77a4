package desktop

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The least and the first size of the window, in points.
const (
	minWidth, minHeight     = 768, 560
	firstWidth, firstHeight = 1280, 800
)

// grip is how much of the window has to be on the screen for a person to take hold of it, in
// points.
const grip = 120

// Place is where the window was when it was closed, in points from the corner of its screen.
type Place struct {
	Width, Height int
	X, Y          int
	Moved         bool // X and Y are known
	Maximised     bool // Width, Height, X and Y are those of before
}

// ReadPlace returns the place that a file holds, or that of a first start.
func ReadPlace(file string) Place {
	place := Place{Width: firstWidth, Height: firstHeight}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &place) != nil || place.Width < minWidth || place.Height < minHeight {
		return Place{Width: firstWidth, Height: firstHeight}
	}
	return place
}

// Write keeps a place in a file, whole.
func (p Place) Write(file string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	temp := file + ".part"
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return fmt.Errorf("keeping the place of the window: %w", err)
	}
	if err := os.Rename(temp, file); err != nil {
		return fmt.Errorf("keeping the place of the window in %s: %w", filepath.Base(file), err)
	}
	return nil
}

// Within returns a place that a person can reach on a screen of the given size: the window may have
// been on one that is gone.
func (p Place) Within(width, height int) Place {
	p.Width, p.Height = min(p.Width, width), min(p.Height, height)
	if p.X > width-grip || p.Y > height-grip || p.X+p.Width < grip || p.Y < 0 {
		p.Moved = false
	}
	return p
}
