package server

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestForeignLibrariesHaveOneOwner checks the imports of all files in this directory tree.
func TestForeignLibrariesHaveOneOwner(t *testing.T) {
	t.Parallel()
	owners := map[string]func(file string) bool{
		"github.com/labstack/echo":    func(file string) bool { return dir(file) == "." || dir(file) == "api" },
		"github.com/r3labs/sse":       func(file string) bool { return file == "event_stream.go" },
		"github.com/tus/tusd":         func(file string) bool { return file == "upload_resumable.go" },
		"github.com/golang-jwt/jwt":   func(file string) bool { return dir(file) == "auth" },
		"github.com/wneessen/go-mail": func(file string) bool { return dir(file) == "mail" },
		"golang.org/x/crypto":         func(file string) bool { return dir(file) == "auth" },
		"golang.org/x/oauth2":         func(file string) bool { return dir(file) == "auth" },
		"github.com/coreos/go-oidc":   func(file string) bool { return dir(file) == "auth" },
		"github.com/stripe/stripe-go": func(file string) bool { return dir(file) == "payments" },
		"roughcut/store": func(file string) bool {
			parts := []string{".", "auth", "contract", "mail", "operator", "payments", "problem"}
			return slices.Contains(parts, dir(file))
		},
		"roughcut/server/mail": func(file string) bool {
			return slices.Contains(
				[]string{".", "operator", "payments"}, dir(file),
			)
		},
		"roughcut/server/auth":         func(file string) bool { return dir(file) == "." || dir(file) == "operator" },
		"roughcut/server/api":          func(file string) bool { return dir(file) == "." },
		"roughcut/server/payments":     func(file string) bool { return dir(file) == "." },
		"roughcut/media/bitstream":     func(string) bool { return false },
		"roughcut/media/libav":         func(string) bool { return false },
		"roughcut/media/voicenet":      func(string) bool { return false },
		"roughcut/media/whisper":       func(string) bool { return false },
		"go.etcd.io/bbolt":             func(string) bool { return false },
		"github.com/blevesearch/bleve": func(string) bool { return false },
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			for library, mayImport := range owners {
				if !strings.HasPrefix(path, library) {
					continue
				}
				seen[library] = true
				if !mayImport(file) && !strings.HasSuffix(file, "_test.go") {
					t.Errorf("%s imports %s", file, path)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen["github.com/labstack/echo"] || !seen["github.com/r3labs/sse"] || !seen["github.com/golang-jwt/jwt"] {
		t.Errorf("the walk found only %v", seen)
	}
}

func dir(file string) string { return filepath.Dir(file) }
