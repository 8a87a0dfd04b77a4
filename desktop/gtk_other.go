//go:build desktop && !linux

package desktop

import (
	"context"
	"strings"

	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// hasZoom reports whether the menu zooms. WebView2 has the zoom keys.
const hasZoom = false

// native is the part of the window that differs between systems.
type native struct {
	frame context.Context
	items []*item
}

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

// close does nothing.
func (*native) close() {}

// cancelDialogs does nothing: only GTK waits for open dialogs when it quits.
func (*native) cancelDialogs() {}

// bindKeys binds the shortcuts of the window's own commands.
func (n *native) bindKeys(list []*item) {
	n.items = list
	for _, one := range list {
		if one.keys != "" {
			// Every shortcut is one that Wails knows.
			one.menu.Accelerator, _ = keys.Parse(strings.ToLower(one.keys))
		}
	}

	runtime.MenuUpdateApplicationMenu(n.frame)
}

// setItems changes items of the menu. Text after a tab shows the shortcut of the page.
func (n *native) setItems(changed map[int]look) {
	for i, l := range changed {
		m := n.items[i].menu
		m.Label, m.Hidden, m.Disabled = l.label, !l.visible, !l.enabled
		if l.keys != nil && *l.keys != "" {
			m.Label += "\t" + *l.keys
		}
	}

	runtime.MenuUpdateApplicationMenu(n.frame)
}

// setZoom does nothing.
func (*native) setZoom(float64) {}

// showProgress does nothing: Wails has no access to the icon of the program.
func (*native) showProgress(float64) {}

// setTheme sets the theme of the frame: "dark", "light", or "" to follow the desktop.
func (n *native) setTheme(theme string) {
	switch theme {
	case "dark":
		runtime.WindowSetDarkTheme(n.frame)
	case "light":
		runtime.WindowSetLightTheme(n.frame)
	default:
		runtime.WindowSetSystemDefaultTheme(n.frame)
	}
}

// Lack is a part of the system that the window needs and the machine lacks.
type Lack struct{ Part, Package string }

// Lacks returns nothing: only WebKitGTK needs parts that can be missing.
func Lacks() (lacks []Lack, ok bool) { return nil, true }

// WebKitVersion returns nothing, because the window has no WebKitGTK.
func WebKitVersion() string { return "" }
