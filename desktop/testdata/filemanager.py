"""Stands in for a file manager on the session bus. Prints "ready", and the address of each file that it is asked to show."""
import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.freedesktop.FileManager1"
INTERFACE = f"""<node><interface name="{NAME}"><method name="ShowItems">
<arg type="as" direction="in"/><arg type="s" direction="in"/></method></interface></node>"""


def called(bus, sender, path, interface, method, arguments, invocation):
    for address in arguments.unpack()[0]:
        print(address, flush=True)
    invocation.return_value(None)


def own(bus, name):
    bus.register_object("/org/freedesktop/FileManager1", Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called)


Gio.bus_own_name(Gio.BusType.SESSION, NAME, Gio.BusNameOwnerFlags.NONE, own, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
