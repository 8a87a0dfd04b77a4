//go:build desktop

package desktop

import (
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// item is an item of the menu. It runs act, or else the command of the page.
type item struct {
	label    string
	command  string
	keys     string   // shortcut that the window binds, before the page gets the key
	moreKeys []string // further ones, for other keyboards
	act      func(*Window)
	always   bool // the page can run the command on each of its views
	recent   bool // stands for a recent project

	menu  *menu.MenuItem
	shown look
}

// look is how an item of the menu is shown. keys are the page's shortcut, nil for items of the
// window.
type look struct {
	label            string
	visible, enabled bool
	keys             *string
}

// newMenu returns the menu, and its items in the order of their appearance.
func (w *Window) newMenu() (bar *menu.Menu, items []*item) {
	bar = menu.NewMenu()
	add := func(to *menu.Menu, list ...*item) {
		for _, one := range list {
			if one == nil {
				to.AddSeparator()
				continue
			}

			one.menu = to.AddText(one.label, nil, func(*menu.CallbackData) { go w.choose(one) })
			one.shown = look{label: one.label, visible: true, enabled: true}
			items = append(items, one)
		}
	}

	file := bar.AddSubmenu("File")
	add(file, &item{label: "New project…", command: "newProject", always: true},
		&item{label: "Open recordings…", keys: "Ctrl+O", act: (*Window).openFiles})
	recent := file.AddSubmenu("Open recent")
	for range w.RecentProjects {
		add(recent, &item{recent: true, label: " "})
	}
	add(file, nil,
		&item{label: "Export…", command: "export", keys: "Ctrl+Shift+S"},
		&item{label: "Timelines for other editors…", command: "timelines"},
		&item{label: "Save frame…", command: "still"}, nil,
		&item{label: "Close window", keys: "Ctrl+W", act: (*Window).quit},
		&item{label: "Quit", keys: "Ctrl+Q", act: (*Window).quit})
	add(bar.AddSubmenu("Edit"),
		&item{label: "Undo", command: "undo"}, &item{label: "Redo", command: "redo"}, nil,
		&item{label: "Cut or remove selection", command: "delete"},
		&item{label: "Restore footage", command: "restore"},
		&item{label: "Mute instead of cut", command: "mute"},
		&item{label: "Split at playhead", command: "split"}, nil,
		&item{label: "Find in transcript", command: "find"},
		&item{label: "Replace in transcript", command: "replace"}, nil,
		&item{label: "Settings", command: "settings", always: true})
	view := bar.AddSubmenu("View")
	add(view, &item{label: "Projects", command: "projects", always: true},
		&item{label: "Library", command: "library", always: true}, nil,
		&item{label: "Play or pause", command: "play"},
		&item{label: "Next cut", command: "next"},
		&item{label: "Previous cut", command: "previous"}, nil)
	if hasZoom {
		add(view, &item{label: "Larger", keys: "Ctrl++", moreKeys: []string{"Ctrl+=", "Ctrl+KP_Add"}, act: zoomBy(1)},
			&item{label: "Smaller", keys: "Ctrl+-", moreKeys: []string{"Ctrl+KP_Subtract"}, act: zoomBy(-1)},
			&item{label: "Actual size", keys: "Ctrl+0", moreKeys: []string{"Ctrl+KP_0"}, act: zoomBy(0)}, nil)
	}

	add(view, &item{label: "Fullscreen", keys: "F11", act: (*Window).toggleFullscreen})
	add(bar.AddSubmenu("Help"), &item{label: "Keyboard shortcuts", command: "help"},
		&item{label: "Help", command: "helpPage", always: true})
	return bar, items
}

// choose runs an item of the menu.
func (w *Window) choose(one *item) {
	if one.act != nil {
		one.act(w)
		return
	}

	command := one.command
	if one.recent {
		w.mu.Lock()
		for i, other := range w.recentItems() {
			if other == one && i < len(w.page.Recent) {
				command = "project:" + w.page.Recent[i].UUID
			}
		}

		w.mu.Unlock()
	}

	w.tell("new CustomEvent('roughcut-command', { detail: '" + command + "' })")
}

// recentItems returns the items for recent projects.
func (w *Window) recentItems() (list []*item) {
	for _, one := range w.items {
		if one.recent {
			list = append(list, one)
		}
	}

	return list
}

// updateMenu makes the menu follow the page.
func (w *Window) updateMenu() {
	w.mu.Lock()
	commands := map[string]Command{}
	for _, c := range w.page.Commands {
		commands[c.Name] = c
	}
	changed, next := map[int]look{}, 0
	for i, one := range w.items {
		now := look{label: one.label, visible: true, enabled: one.act != nil || one.always}
		if c, ok := commands[one.command]; ok {
			now.enabled = c.Enabled
			if one.keys == "" {
				now.keys = &c.Keys
			}
		}

		if one.recent {
			now.visible = next < len(w.page.Recent)
			if now.enabled = now.visible; now.visible {
				now.label = w.page.Recent[next].Name
			}
			next++
		}

		if now.differs(one.shown) {
			changed[i], one.shown = now, now
		}
	}

	w.mu.Unlock()
	if len(changed) > 0 {
		w.native.setItems(changed)
	}
}

func (l look) differs(other look) bool {
	return l.label != other.label || l.visible != other.visible || l.enabled != other.enabled ||
		(l.keys != nil && (other.keys == nil || *other.keys != *l.keys))
}

// openFiles asks for recordings and gives them to the page.
func (w *Window) openFiles() {
	if !w.choosing.TryLock() {
		return // the dialog is already open
	}
	defer w.choosing.Unlock()
	chosen, err := w.ChooseFiles()
	if err != nil {
		w.Log.Warn("cannot open the file dialog", "error", err)
	}
	w.Hand(chosen)
}

func (w *Window) quit() {
	if frame := w.openFrame(); frame != nil {
		runtime.Quit(frame)
	}
}

func (w *Window) toggleFullscreen() {
	frame := w.openFrame()
	switch {
	case frame == nil:
	case runtime.WindowIsFullscreen(frame):
		runtime.WindowUnfullscreen(frame)
	default:
		runtime.WindowFullscreen(frame)
	}
}

// zooms are the sizes of the page.
var zooms = []float64{0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2}

// zoomBy returns an action that makes the page a step larger or smaller, or as large as usual.
func zoomBy(step int) func(*Window) {
	return func(w *Window) {
		w.mu.Lock()
		level := 1.0
		for i, z := range zooms {
			if at := i + step; z == w.zoom && step != 0 && at >= 0 && at < len(zooms) {
				level = zooms[at]
			} else if z == w.zoom && step != 0 {
				level = z
			}
		}

		w.zoom = level
		w.mu.Unlock()
		w.native.setZoom(level)
	}
}

// tell dispatches an event to the page, given as JavaScript.
func (w *Window) tell(event string) {
	if frame := w.openFrame(); frame != nil {
		runtime.WindowExecJS(frame, "window.dispatchEvent("+event+")")
	}
}
