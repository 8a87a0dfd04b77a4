"""Stands in for a file manager: a small window from which a test drags the addresses in the arguments. Prints "taken" when they can be dropped."""
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402


def begun(source, drag):
    """Waits until the target of the drag accepts it."""

    def look():
        if not drag.get_selected_action():
            return GLib.SOURCE_CONTINUE
        print("taken", flush=True)
        return GLib.SOURCE_REMOVE

    GLib.timeout_add(20, look)


window = Gtk.Window(title="Files")
window.set_default_size(160, 60)
window.move(1000, 640)
window.set_keep_above(True)
grip = Gtk.EventBox()
grip.add(Gtk.Label(label="Drag"))
window.add(grip)
grip.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY | Gdk.DragAction.MOVE)
grip.drag_source_add_uri_targets()
grip.connect("drag-data-get", lambda source, drag, data, info, time: data.set_uris(sys.argv[1:]))
grip.connect("drag-begin", begun)
grip.connect("drag-end", lambda source, drag: Gtk.main_quit())
GLib.timeout_add_seconds(30, Gtk.main_quit)
window.show_all()
Gtk.main()
