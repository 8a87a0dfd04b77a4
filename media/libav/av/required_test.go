package av

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
)

func TestMissingNamesAbsentComponents(t *testing.T) {
	if all := Missing(); len(all) > 0 {
		t.Errorf("missing: %v", all)
	}
	absent := Components{
		demuxers: []string{"mov", "x1"}, decoders: []string{"x2"}, encoders: []string{"x3"},
		muxers: []string{"x4"}, Filters: []string{"x5"}, bitstreamFilters: []string{"x6"},
	}
	want := []string{"demuxer x1", "decoder x2", "encoder x3", "muxer x4", "filter x5", "bitstream filter x6"}
	if all := absent.missing(); !slices.Equal(all, want) {
		t.Errorf("missing: %v", all)
	}
}

func TestUnlistedComponentsCannotBeUsed(t *testing.T) {
	if _, err := NewAudioGraph([]string{"anull"}); err == nil || !strings.Contains(err.Error(), "anull") {
		t.Errorf("a graph with an unlisted filter: %v", err)
	}
	if _, err := findEncoder("mjpeg"); err == nil {
		t.Error("an unlisted encoder was found")
	}
	for _, format := range media.ExportFormats() {
		if err := checkMuxer(format.Muxer); err != nil {
			t.Error(err)
		}
		if _, err := findEncoder(format.AudioEncoder); err != nil {
			t.Error(err)
		}
	}
	if err := checkMuxer("avi"); err == nil {
		t.Error("an unlisted muxer was accepted")
	}
}

// Code that looks a component up in libav directly would bypass the list.
func TestComponentsAreLookedUpInOnePlace(t *testing.T) {
	lookup := regexp.MustCompile(`astiav\.Find(Encoder|Filter|OutputFormat|InputFormat|BitStreamFilter)\w*\(`)
	here, err := filepath.Glob("*.go")
	above, _ := filepath.Glob("../*.go")
	if err != nil || len(here) == 0 || len(above) == 0 {
		t.Fatalf("%d and %d files, %v", len(here), len(above), err)
	}
	for _, file := range append(here, above...) {
		if strings.HasSuffix(file, "_test.go") || file == "required.go" {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := lookup.Find(source); found != nil {
			t.Errorf("%s calls %s", file, found)
		}
	}
}

func TestDecodersOfAllowedCodecsAreRequired(t *testing.T) {
	listed := Required().decoders
	var used []string
	for _, codec := range media.Codecs() {
		if decoder, ok := decoderFor(codec.Name); ok {
			used = append(used, decoder)
		}
	}
	if decoder, ok := decoderFor("wmv3"); ok {
		t.Errorf("wmv3 uses %q", decoder)
	}
	slices.Sort(used)
	if want := slices.Sorted(slices.Values(listed)); !slices.Equal(used, want) {
		t.Errorf("codecs use %v, required are %v", used, want)
	}
}

// The bundled FFmpeg has what the package uses and nothing else.
func TestBuildScriptEnablesRequiredComponents(t *testing.T) {
	script, err := os.ReadFile("../../native/build.sh")
	if err != nil {
		t.Fatal(err)
	}
	listed := func(variable string) (names []string) {
		assignment := regexp.MustCompile(`(?m)^\s*(?:local )?` + variable + `=(?:\$` + variable + `,)?(\S+)$`)
		for _, match := range assignment.FindAllSubmatch(script, -1) {
			names = append(names, strings.Split(string(match[1]), ",")...)
		}
		slices.Sort(names)
		return names
	}
	c := Required()
	demuxers := slices.Clone(c.probes)
	for _, name := range c.demuxers {
		switch {
		case name == "webm": // another name of the demuxer matroska
		case name == "mpeg":
			demuxers = append(demuxers, "mpegps")
		case strings.HasSuffix(name, "_pipe"):
			demuxers = append(demuxers, "image_"+name)
		default:
			demuxers = append(demuxers, name)
		}
	}
	for variable, want := range map[string][]string{
		"demuxers": demuxers, "decoders": c.decoders, "encoders": c.encoders,
		"muxers": c.muxers, "filters": c.Filters, "bsfs": c.bitstreamFilters,
	} {
		want = slices.Sorted(slices.Values(want))
		if got := listed(variable); !slices.Equal(got, want) {
			t.Errorf("%s: the script enables %v, required are %v", variable, got, want)
		}
	}
	optional := regexp.MustCompile(`--enable-encoder=([a-z0-9]\w+)`).FindAllSubmatch(script, -1)
	for _, match := range optional {
		if !slices.Contains(c.hardware, string(match[1])) {
			t.Errorf("the script enables the encoder %s, which is not a hardware encoder of the package", match[1])
		}
	}
	if len(optional) == 0 {
		t.Error("the script enables no hardware encoder")
	}
}
