package media

import (
	"maps"
	"slices"
	"strings"
)

// Container is a container that Roughcut reads.
type Container struct {
	Name  string // of libav's demuxer, as in Info.Format
	Also  string // another name of the demuxer, or ""
	Title string // for people
	Files []FileType
}

// FileType is a kind of files in a container.
type FileType struct {
	ContentType string
	Extensions  []string // in lower case and with the dot
	Names       []string // other names of the content type
	Undeclared  bool     // uploads cannot be declared as this type
}

// Kind returns "video", "audio" or "image".
func (f FileType) Kind() string { return FileKind(f.ContentType) }

// containers are the containers that Roughcut reads. media/native/build.sh enables their demuxers.
// The first type of a kind is that of a recording unless its codecs say more; see
// Container.ContentType.
var containers = []Container{
	{Name: "mov", Title: "MP4, QuickTime and 3GPP", Files: []FileType{
		{
			ContentType: "video/mp4", Extensions: []string{".mp4", ".f4v"},
			Names: []string{"video/x-mp4", "video/x-f4v", "video/mpeg4", "application/mp4"},
		},
		{
			ContentType: "audio/mp4", Extensions: []string{".m4a", ".m4b"},
			Names: []string{"audio/m4a", "audio/m4b", "audio/x-m4b", "audio/3gpp", "audio/3gpp2"},
		},
		{ContentType: "audio/x-m4a"},
		{ContentType: "video/x-m4v", Extensions: []string{".m4v"}, Names: []string{"video/m4v"}},
		{
			ContentType: TypeQuickTime, Extensions: []string{".mov", ".qt"},
			Names: []string{"video/mov", "video/x-quicktime"},
		},
		{ContentType: "video/3gpp", Extensions: []string{".3gp", ".3gpp"}, Names: []string{"video/3gp"}},
		{ContentType: "video/3gpp2", Extensions: []string{".3g2", ".3gp2"}, Names: []string{"video/3g2"}},
	}},
	{Name: "matroska", Also: "webm", Title: "Matroska and WebM", Files: []FileType{
		{ContentType: "video/x-matroska", Extensions: []string{".mkv"}, Names: []string{"video/matroska", "video/mkv"}},
		{ContentType: "audio/x-matroska", Extensions: []string{".mka"}, Names: []string{"audio/matroska"}},
		{ContentType: TypeWebM, Extensions: []string{".webm"}, Names: []string{"video/x-webm"}},
		{ContentType: "audio/webm", Extensions: []string{".weba"}},
	}},
	{Name: "avi", Title: "AVI", Files: []FileType{{
		ContentType: "video/x-msvideo", Extensions: []string{".avi", ".divx"},
		Names: []string{"video/avi", "video/msvideo", "video/vnd.avi", "application/x-troff-msvideo"},
	}}},
	{Name: "mpegts", Title: "MPEG transport stream (AVCHD, HDV)", Files: []FileType{{
		ContentType: "video/mp2t", Extensions: []string{".ts", ".mts", ".m2ts", ".m2t", ".tod"},
		Names: []string{"video/mpegts", "video/mts", "video/m2ts", "video/vnd.dlna.mpeg-tts", "video/avchd-stream"},
	}}},
	{Name: "mpeg", Title: "MPEG program stream (DVD)", Files: []FileType{{
		ContentType: "video/mpeg", Extensions: []string{".mpg", ".mpeg", ".mpe", ".m2p", ".vob", ".mod"},
		Names: []string{"video/mpg", "video/x-mpeg", "video/x-mpg", "video/mp2p", "video/dvd", "video/x-ms-vob"},
	}}},
	{Name: "flv", Title: "Flash video", Files: []FileType{{
		ContentType: "video/x-flv", Extensions: []string{".flv"}, Names: []string{"video/flv"},
	}}},
	{Name: "mxf", Title: "MXF", Files: []FileType{{
		ContentType: "application/mxf", Extensions: []string{".mxf"}, Names: []string{"video/mxf", "application/x-mxf"},
	}}},
	{Name: "dv", Title: "DV", Files: []FileType{{
		ContentType: "video/x-dv", Extensions: []string{".dv", ".dif"}, Names: []string{"video/dv"},
	}}},
	{Name: "asf", Title: "Windows Media", Files: []FileType{
		{ContentType: "video/x-ms-asf", Extensions: []string{".asf"}, Names: []string{"application/vnd.ms-asf"}},
		{ContentType: TypeWMV, Extensions: []string{".wmv"}, Names: []string{"video/wmv"}},
		{ContentType: "audio/x-ms-wma", Extensions: []string{".wma"}, Names: []string{"audio/wma"}},
	}},
	{Name: "mp3", Title: "MPEG audio (MP3)", Files: []FileType{{
		ContentType: "audio/mpeg", Extensions: []string{".mp3", ".mp2"},
		Names: []string{"audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg-3", "audio/x-mpeg", "audio/mp2"},
	}}},
	{Name: "wav", Title: "WAV", Files: []FileType{
		{
			ContentType: "audio/wav", Extensions: []string{".wav"},
			Names: []string{"audio/wave", "audio/vnd.wave", "audio/x-pn-wav"},
		},
		{ContentType: "audio/x-wav"},
	}},
	{Name: "aiff", Title: "AIFF", Files: []FileType{{
		ContentType: "audio/aiff", Extensions: []string{".aif", ".aiff", ".aifc"},
		Names: []string{"audio/x-aiff", "audio/x-aifc", "audio/aifc"},
	}}},
	{Name: "caf", Title: "Core Audio Format", Files: []FileType{{
		ContentType: "audio/x-caf", Extensions: []string{".caf"}, Names: []string{"audio/caf"},
	}}},
	{Name: "flac", Title: "FLAC", Files: []FileType{{
		ContentType: "audio/flac", Extensions: []string{".flac"}, Names: []string{"audio/x-flac"},
	}}},
	{Name: "ogg", Title: "Ogg", Files: []FileType{
		{
			ContentType: "audio/ogg", Extensions: []string{".ogg", ".oga", ".opus"},
			Names: []string{"audio/opus", "audio/x-ogg", "audio/vorbis", "application/ogg", "application/x-ogg"},
		},
		{ContentType: "video/ogg", Undeclared: true}, // its usual codec, Theora, is not supported
	}},
	{Name: "aac", Title: "AAC (ADTS)", Files: []FileType{{
		ContentType: "audio/aac", Extensions: []string{".aac"}, Names: []string{"audio/aacp", "audio/x-aac"},
	}}},
	{Name: "gif", Title: "GIF", Files: []FileType{{ContentType: "image/gif", Extensions: []string{".gif"}}}},
	{Name: "png_pipe", Title: "PNG", Files: []FileType{{
		ContentType: "image/png", Extensions: []string{".png"}, Names: []string{"image/x-png"},
	}}},
	{Name: "jpeg_pipe", Title: "JPEG", Files: []FileType{{
		ContentType: "image/jpeg", Extensions: []string{".jpg", ".jpeg"}, Names: []string{"image/jpg", "image/pjpeg"},
	}}},
	{Name: "webp_pipe", Title: "WebP", Files: []FileType{{ContentType: "image/webp", Extensions: []string{".webp"}}}},
	{Name: "bmp_pipe", Title: "BMP", Files: []FileType{{ContentType: "image/bmp", Undeclared: true}}},
}

// Content types that the codecs or the brand of a recording choose.
const (
	TypeQuickTime = "video/quicktime"
	TypeWebM      = "video/webm"
	TypeWMV       = "video/x-ms-wmv"
)

// Containers returns the containers that Roughcut reads.
func Containers() []Container { return slices.Clone(containers) }

// ContainerNamed returns the container with the name of a demuxer. ok is false if Roughcut does not
// read it.
func ContainerNamed(name string) (c Container, ok bool) {
	for _, c := range containers {
		if c.Name == name {
			return c, true
		}
	}

	return Container{}, false
}

// ContentType returns the usual content type of recordings of a kind, "video" or "audio", in the
// container.
func (c Container) ContentType(kind string) string {
	for _, f := range c.Files {
		if f.Kind() == kind {
			return f.ContentType
		}
	}

	return c.Files[0].ContentType
}

// FileKind returns the kind of files with a content type: "video", "audio" or "image".
func FileKind(contentType string) string {
	if kind, _, _ := strings.Cut(contentType, "/"); kind == "audio" || kind == "image" {
		return kind
	}
	return "video"
}

// FileTypes are types of files, in the order of the containers.
type FileTypes []FileType

func filesOf(kinds ...string) (types FileTypes) {
	for _, c := range containers {
		for _, f := range c.Files {
			if !f.Undeclared && slices.Contains(kinds, f.Kind()) {
				types = append(types, f)
			}
		}
	}

	return types
}

// RecordingTypes returns the types of the recordings that Roughcut reads. A recording may have no
// video.
func RecordingTypes() FileTypes { return filesOf("video", "audio") }

// AssetTypes returns the types of the assets that Roughcut reads: recordings and images.
func AssetTypes() FileTypes { return filesOf("video", "audio", "image") }

// Extensions returns the extensions in alphabetical order.
func (f FileTypes) Extensions() []string { return slices.Sorted(maps.Keys(f.ByExtension())) }

// ByExtension returns the content types by extension.
func (f FileTypes) ByExtension() map[string]string {
	types := map[string]string{}
	for _, t := range f {
		for _, extension := range t.Extensions {
			types[extension] = t.ContentType
		}
	}

	return types
}

// ByName returns the content types by all of their names.
func (f FileTypes) ByName() map[string]string {
	types := map[string]string{}
	for _, t := range f {
		types[t.ContentType] = t.ContentType
		for _, name := range t.Names {
			types[name] = t.ContentType
		}
	}

	return types
}

// ContentTypes returns the content types that an upload of such a file may declare, without their
// other names, in alphabetical order.
func (f FileTypes) ContentTypes() []string {
	var types []string
	for _, t := range f {
		types = append(types, t.ContentType)
	}
	slices.Sort(types)
	return types
}

// Declared returns the content type of an upload that declares a content type and has an
// extension. The extension counts if Roughcut knows no file with the declared type. ok is false
// if such a file is not among the types.
func (f FileTypes) Declared(contentType, extension string) (known string, ok bool) {
	if _, named := AssetTypes().ByName()[contentType]; named {
		known, ok = f.ByName()[contentType]
		return known, ok
	}

	known, ok = f.ByExtension()[extension]
	return known, ok
}
