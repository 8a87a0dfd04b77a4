package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport lists the imports that each package may have inside the project. A package without an
// entry may import none.
var mayImport = map[string][]string{
	"roughcut/media/interchange": {"roughcut/media"},
	"roughcut/media/face":        {"roughcut/media"},
	"roughcut/media/audio":       {"roughcut/media"},
	"roughcut/media/estimate":    {"roughcut/media"},
	"roughcut/media/libav": {
		"roughcut/media",
		"roughcut/media/audio",
		"roughcut/media/bitstream",
		"roughcut/media/face",
		"roughcut/media/fonts",
		"roughcut/media/libav/av",
		"roughcut/media/screen",
		"roughcut/media/voicenet",
	},
	"roughcut/media/libav/av": {"roughcut/media", "roughcut/media/bitstream"},
	"roughcut/media/voicenet": {"roughcut/media/fourier", "roughcut/media/matrix"},
	"roughcut/media/whisper":  {"roughcut/media", "roughcut/media/align", "roughcut/media/audio"},
	"roughcut/media/align":    {"roughcut/media", "roughcut/media/audio"},
	"roughcut/media/subtitle": {"roughcut/media"},
	"roughcut/pipeline/detect": {
		"roughcut/media",
		"roughcut/media/audio",
		"roughcut/media/voicenet",
		"roughcut/pipeline/detect/edge",
		"roughcut/pipeline/detect/repeat",
		"roughcut/pipeline/detect/spectrum",
		"roughcut/pipeline/language",
	},
	"roughcut/pipeline/detect/edge": {
		"roughcut/media",
		"roughcut/media/audio",
		"roughcut/media/matrix",
		"roughcut/pipeline/detect/spectrum",
	},
	"roughcut/pipeline/detect/repeat": {
		"roughcut/media",
		"roughcut/pipeline/detect/spectrum",
	},
	"roughcut/pipeline/detect/spectrum": {"roughcut/media", "roughcut/media/fourier"},
	"roughcut/pipeline/fetch":           {"roughcut/store", "roughcut/media"},
	"roughcut/store/account":            {"roughcut/store/fault", "roughcut/store/table"},
	"roughcut/store/billing":            {"roughcut/store/fault", "roughcut/store/table"},
	"roughcut/store": {
		"roughcut/media",
		"roughcut/media/audio",
		"roughcut/media/estimate",
		"roughcut/store/account",
		"roughcut/store/billing",
		"roughcut/store/fault",
		"roughcut/store/outfile",
		"roughcut/store/pages",
		"roughcut/store/search",
		"roughcut/store/table",
	},
	"roughcut/pipeline/director": {"roughcut/media", "roughcut/pipeline/language"},
	"roughcut/pipeline/models":   {"roughcut/store/fault", "roughcut/store/outfile"},
	"roughcut/pipeline/rank":     {},
	"roughcut/pipeline": {
		"roughcut/store",
		"roughcut/media",
		"roughcut/media/align",
		"roughcut/media/audio",
		"roughcut/media/estimate",
		"roughcut/pipeline/detect",
		"roughcut/pipeline/director",
		"roughcut/pipeline/language",
		"roughcut/pipeline/rank",
	},
	"roughcut/pipeline/sandbox": {
		"roughcut/media",
		"roughcut/media/audio",
		"roughcut/pipeline",
		"roughcut/pipeline/detect",
	},
	"roughcut/server/auth": {"roughcut/server/gate", "roughcut/store", "roughcut/store/account"},
	"roughcut/server/mail": {"roughcut/store/fault"},
	"roughcut/desktop":     {"roughcut/store/outfile"},
	"roughcut/server/payments": {
		"roughcut/store",
		"roughcut/store/account",
		"roughcut/store/billing",
		"roughcut/server/mail",
	},
	"roughcut/server/gate":          {},
	"roughcut/server/problem":       {"roughcut/store"},
	"roughcut/server/contract":      {"roughcut/store", "roughcut/server/problem"},
	"roughcut/server/apidocs":       {"roughcut/server/contract", "roughcut/server/problem"},
	"roughcut/server/api/filetypes": {"roughcut/media"},
	"roughcut/server/api/tables": {
		"roughcut/media",
		"roughcut/media/interchange",
	},
	"roughcut/server/operator": {
		"roughcut/store",
		"roughcut/store/account",
		"roughcut/store/billing",
		"roughcut/server/auth",
		"roughcut/server/contract",
		"roughcut/server/mail",
		"roughcut/server/problem",
	},
	"roughcut/server": {
		"roughcut/pipeline",
		"roughcut/pipeline/language",
		"roughcut/pipeline/models",
		"roughcut/store",
		"roughcut/store/account",
		"roughcut/store/billing",
		"roughcut/store/outfile",
		"roughcut/media",
		"roughcut/media/estimate",
		"roughcut/media/interchange",
		"roughcut/media/subtitle",
		"roughcut/server/api",
		"roughcut/server/apidocs",
		"roughcut/server/auth",
		"roughcut/server/contract",
		"roughcut/server/mail",
		"roughcut/server/payments",
		"roughcut/server/gate",
		"roughcut/server/problem",
		"roughcut/web",
	},
	"roughcut/server/contract/contracttest": {
		"roughcut/server/contract",
	},
	"roughcut/media/mediatest":        {"roughcut/media"},
	"roughcut/media/mediatest/voices": {"roughcut/media", "roughcut/media/mediatest"},
	"roughcut/web":                    {"roughcut/media/fonts"},
	"roughcut/cli":                    {"*"},
	"roughcut":                        {"roughcut/cli"},
}

// ownerOf lists the packages that may import a third-party library.
var ownerOf = map[string][]string{
	"go.etcd.io/bbolt":                             {"roughcut/store", "roughcut/store/table"},
	"github.com/blevesearch/bleve":                 {"roughcut/store/search"},
	"github.com/asticode/go-astiav":                {"roughcut/media/libav", "roughcut/media/libav/av"},
	"github.com/esimov/pigo":                       {"roughcut/media/face"},
	"github.com/ggerganov/whisper.cpp/bindings/go": {"roughcut/media/whisper"},
	"github.com/labstack/echo":                     {"roughcut/server", "roughcut/server/api"},
	"github.com/r3labs/sse":                        {"roughcut/server"},
	"github.com/golang-jwt/jwt":                    {"roughcut/server/auth"},
	"golang.org/x/oauth2":                          {"roughcut/server/auth"},
	"github.com/coreos/go-oidc":                    {"roughcut/server/auth"},
	"github.com/wailsapp/wails":                    {"roughcut/desktop"},
	"github.com/wneessen/go-mail":                  {"roughcut/server/mail"},
	"github.com/tus/tusd":                          {"roughcut/server"},
	"github.com/stripe/stripe-go":                  {"roughcut/server/payments"},
	"github.com/prometheus":                        {"roughcut/server"},
	"github.com/pelletier/go-toml":                 {"roughcut/pipeline/language"},
	"C": {
		"roughcut/media/libav",
		"roughcut/media/libav/av",
		"roughcut/media/whisper",
		"roughcut/desktop",
	},
}

type listedPackage struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	var all []listedPackage
	for _, tags := range []string{"", "desktop,production,webkit2_41"} {
		list := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Imports,CgoFiles", "./...")
		list.Dir = ".."
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listedPackage
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// fixtures is the package, with its subpackages, that only tests import.
const fixtures = "roughcut/media/mediatest"

func TestPackagesImportOnlyLowerLevels(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, "roughcut") {
				continue
			}
			if allowed := mayImport[p.ImportPath]; !slices.Contains(allowed, imported) &&
				!slices.Contains(allowed, "*") {
				t.Errorf("%s must not import %s", p.ImportPath, imported)
			}
			if strings.HasPrefix(imported, fixtures) && !strings.HasPrefix(p.ImportPath, fixtures) {
				t.Errorf("%s imports test fixtures", p.ImportPath)
			}
		}
	}
}

func TestThirdPartyLibrariesHaveOneOwner(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			for library, owners := range ownerOf {
				if (imported == library || strings.HasPrefix(imported, library+"/")) &&
					!slices.Contains(owners, p.ImportPath) {
					t.Errorf("%s imports %s, which belongs to %v", p.ImportPath, imported, owners)
				}
			}
		}
	}
}
