# read_openshot.py FILE RATE FOLDER - reads a Final Cut 7 XML file or an EDL with the importer of OpenShot and prints its tracks. The importer runs
# without OpenShot's window: the project, its queries and the file dialog are replaced. An EDL names no folder, so OpenShot asks for it once: FOLDER.
# Needs a display.
import json
import sys
import types
from fractions import Fraction

import openshot_qt
from PyQt5.QtWidgets import QApplication, QFileDialog, QMessageBox

sys.path.insert(0, openshot_qt.OPENSHOT_PATH)
path, rate, folder = sys.argv[1], Fraction(sys.argv[2]), sys.argv[3]
window = QApplication([])

project = {"fps": {"num": rate.numerator, "den": rate.denominator}, "layers": [{"number": 1000000}]}
tracks, clips, files = [], [], {}


class Row:
    def __init__(self):
        self.data, self.id = {}, None


class Track(Row):
    def save(self):
        project["layers"].append(self.data)
        tracks.append(self.data)


class Clip(Row):
    def save(self):
        clips.append(self.data)


class File(Row):
    def save(self):
        self.id = self.data["id"] = str(len(files) + 1)
        files[self.data["path"]] = self

    @staticmethod
    def get(path):
        return files.get(path)


signal = types.SimpleNamespace(emit=lambda *values: None)
app = types.SimpleNamespace(
    _tr=lambda text: text,
    project=types.SimpleNamespace(get=project.get, current_filepath=path),
    window=types.SimpleNamespace(
        refreshFrameSignal=signal,
        propertyTableView=types.SimpleNamespace(select_frame=lambda frame: None),
        preview_thread=types.SimpleNamespace(player=types.SimpleNamespace(Position=lambda: 1)),
    ),
)
sys.modules["classes.app"] = types.SimpleNamespace(get_app=lambda: app)
sys.modules["classes.query"] = types.SimpleNamespace(Clip=Clip, Track=Track, File=File)
QFileDialog.getOpenFileName = staticmethod(lambda *values: (path, ""))
QFileDialog.getExistingDirectory = staticmethod(lambda *values: "")


def missing(*values):
    sys.exit("OpenShot misses a file: %s" % values[2])


QMessageBox.warning = staticmethod(missing)

from windows.views import find_file  # noqa: E402

if path.endswith(".edl"):
    from classes.importers.edl import import_edl

    find_file.known_paths.append(folder)
    import_edl()
else:
    from classes.importers.final_cut_pro import import_xml

    import_xml()
for track in tracks:
    on = [c for c in clips if c["layer"] == track["number"]]
    print(json.dumps([
        [c["reader"]["path"], round(c["position"] * rate), round(c["start"] * rate), round(c["end"] * rate)] for c in on
    ], ensure_ascii=False))
