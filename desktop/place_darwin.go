//go:build desktop

package desktop

import "github.com/wailsapp/wails/v2/pkg/runtime"

// systemWindow is empty: Wails does what the window needs.
type systemWindow struct{}

// open puts the window to its place. This window ignores dropped files.
func (n *native) open(place Place, _ func(paths []string)) {
	screens, err := runtime.ScreenGetAll(n.frame)
	for _, s := range screens {
		if err == nil && s.IsCurrent {
			place = place.Within([]Rect{{Width: s.Size.Width, Height: s.Size.Height}})
		}
	}

	if place.Moved {
		runtime.WindowSetPosition(n.frame, place.X, place.Y)
	}
	if place.Maximised {
		runtime.WindowMaximise(n.frame)
	}
}

// place returns the place of the open window. Without a size, it is maximized.
func (n *native) place() Place {
	if runtime.WindowIsMaximised(n.frame) {
		return Place{Maximised: true}
	}
	width, height := runtime.WindowGetSize(n.frame)
	x, y := runtime.WindowGetPosition(n.frame)
	return Place{Width: width, Height: height, X: x, Y: y, Moved: true}
}

// showProgress does nothing: Wails has no access to the icon of the program.
func (*native) showProgress(float64) {}
