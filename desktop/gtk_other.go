//go:build desktop && !linux

package desktop

import (
	"context"
	"log/slog"
	"strings"

	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// hasZoom reports whether the menu zooms. WebView2 has the zoom keys.
const hasZoom = false

// native is the part of the window that differs between systems.
type native struct {
	frame context.Context
	log   *slog.Logger
	items []*item
	systemWindow
}

// load does nothing: the first page loads the next one.
func (*native) load(string) {}

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
