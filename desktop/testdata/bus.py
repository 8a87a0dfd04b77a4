"""Stands in for the desktop on the session bus: prints notifications and the progress on the icon, and prefers light windows until a line "dark" or "light" on standard input."""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NOTIFICATIONS = """<node><interface name="org.freedesktop.Notifications"><method name="Notify">
<arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
<arg type="u" direction="out"/></method></interface></node>"""
SETTINGS = """<node><interface name="org.freedesktop.portal.Settings"><method name="Read">
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal></interface></node>"""
PORTAL = "/org/freedesktop/portal/desktop"
scheme = 2


def told(text):
    print(text, flush=True)


def called(bus, sender, path, interface, method, arguments, invocation):
    if method == "Notify":
        told("notification " + arguments.unpack()[3] + ": " + arguments.unpack()[4])
        invocation.return_value(GLib.Variant("(u)", (1,)))
    else:
        invocation.return_value(GLib.Variant("(v)", (GLib.Variant("v", GLib.Variant("u", scheme)),)))


def launcher(bus, sender, path, interface, signal, arguments):
    program, look = arguments.unpack()
    told(f"icon {program} {look['progress']:.2f} {look['progress-visible']}")


def typed(channel, condition):
    global scheme
    line = sys.stdin.readline().strip()
    if not line:
        return False
    scheme = 1 if line == "dark" else 2
    value = GLib.Variant("(ssv)", ("org.freedesktop.appearance", "color-scheme", GLib.Variant("u", scheme)))
    bus.emit_signal(None, PORTAL, "org.freedesktop.portal.Settings", "SettingChanged", value)
    return True


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object("/org/freedesktop/Notifications", Gio.DBusNodeInfo.new_for_xml(NOTIFICATIONS).interfaces[0], called)
bus.register_object(PORTAL, Gio.DBusNodeInfo.new_for_xml(SETTINGS).interfaces[0], called)
bus.signal_subscribe(None, "com.canonical.Unity.LauncherEntry", "Update", None, None, Gio.DBusSignalFlags.NONE, launcher)
names = ["org.freedesktop.Notifications", "org.freedesktop.portal.Desktop"]
for name in names:
    Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, lambda *_: told("owned"), None)
GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.IO_IN, typed)
GLib.MainLoop().run()
