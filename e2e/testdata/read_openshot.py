# read_openshot.py FILE RATE - reads a Final Cut 7 XML file with the importer of OpenShot and prints its tracks. The importer runs without OpenShot's
# window: the project, its queries and the file dialog are replaced. Needs a display.
import json
import sys
import types
from fractions import Fraction

import openshot_qt
from PyQt5.QtWidgets import QApplication, QFileDialog, QMessageBox

sys.path.insert(0, openshot_qt.OPENSHOT_PATH)
path, rate = sys.argv[1], Fraction(sys.argv[2])
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

from classes.importers.final_cut_pro import import_xml  # noqa: E402

import_xml()
for track in tracks:
    on = [c for c in clips if c["layer"] == track["number"]]
    print(json.dumps([
        [c["reader"]["path"], round(c["position"] * rate), round(c["start"] * rate), round(c["end"] * rate)] for c in on
    ], ensure_ascii=False))
