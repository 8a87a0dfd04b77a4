package interchange

import (
	"io"
	"path"
)

// BundleFolder is the folder of the recordings in a bundle.
const BundleFolder = "media"

// otiozVersion is the version of the OTIOZ layout.
const otiozVersion = "1.0.0"

// BundlePlace is the place of recordings in a bundle.
func BundlePlace() Place { return Place{Folder: BundleFolder, Bundled: true} }

// BundleExtension returns the extension of the bundle of a format: OTIOZ for OTIO, otherwise ZIP.
func BundleExtension(format string) string {
	if format == "otio" {
		return ".otioz"
	}
	return ".zip"
}

// BundleFiles returns the files of the bundle of a timeline with BundlePlace: the timeline under a
// name without extension, the captions as a SubRip file, then the recordings. media returns the
// file of a source.
func BundleFiles(
	name, format string,
	t Timeline,
	o Options,
	media func(s Source) (BundleFile, error),
) ([]BundleFile, error) {
	f, _ := LookupFormat(format) // Write refuses an unknown one
	name = portableName(fileName(name)) + f.Extension
	subtitles := t.Subtitles()
	if f.Kind != KindTimeline {
		subtitles = nil
	}
	if subtitles != nil {
		o.Subtitles = SubtitleName(name, format)
	}
	data := func(text []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(text); return err }
	}
	content := func(w io.Writer) error { return Write(w, format, t, o) }
	files, besides := []BundleFile{{Name: name, Write: content}}, o.Subtitles
	if format == "otio" {
		files = []BundleFile{
			{Name: "content.otio", Write: content},
			{Name: "version.txt", Write: data([]byte(otiozVersion))},
		}
		besides = path.Join(BundleFolder, o.Subtitles)
	}

	if subtitles != nil {
		files = append(files, BundleFile{Name: besides, Write: data(subtitles)})
	}
	seen := map[string]bool{}
	for _, s := range t.Sources {
		if seen[s.Name] {
			continue
		}
		seen[s.Name] = true
		file, err := media(s)
		if err != nil {
			return nil, err
		}
		file.Name = BundleFolder + "/" + s.Name
		files = append(files, file)
	}

	return files, nil
}
