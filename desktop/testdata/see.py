"""Prints the accessibility tree of the screen, pages and native dialogs, as a JSON list."""
import json

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402


def told(ask):
    """Returns None if the object disappears during the call."""
    try:
        return ask()
    except GLib.Error:
        return None


def walk(thing):
    place = told(lambda: thing.get_extents(Atspi.CoordType.SCREEN)) if told(thing.get_component_iface) else None
    states = told(thing.get_state_set)
    text = told(thing.get_text_iface)
    yield {
        "role": told(thing.get_role_name) or "",
        "name": told(thing.get_name) or "",
        "text": (told(lambda: Atspi.Text.get_text(thing, 0, -1)) or "") if text else "",
        "usable": bool(states and states.contains(Atspi.StateType.SENSITIVE) and states.contains(Atspi.StateType.SHOWING)),
        "x": place.x + place.width // 2 if place else -1,
        "y": place.y + place.height // 2 if place else -1,
    }
    if told(thing.get_role_name) in ("table", "tree table"):
        return  # GTK stumbles over questions about the files that a dialog lists
    for i in range(told(thing.get_child_count) or 0):
        child = told(lambda: thing.get_child_at_index(i))
        if child:
            yield from walk(child)


print(json.dumps(list(walk(Atspi.get_desktop(0)))))
