package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/media/libav/av"
	"roughcut/media/whisper"
	"roughcut/server"
)

func versionCommand(build Build) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of Roughcut and of the libraries in it",
		Long: `Print the versions of Roughcut, of the native libraries for media and text, of the libraries that
hold and serve the data, and of Go, and the platform of this build. "roughcut --version" prints only the
version of Roughcut.`,
		Example: `  roughcut version
  roughcut version --json`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := components(build)
			if asJSON {
				return printJSON(cmd, all)
			}
			for _, c := range all {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), c.Name, c.Version); err != nil {
					return err
				}
			}

			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// components returns the versions of everything that matters in reports of faults. Admins see them
// on the server page.
func components(build Build) []server.Component {
	all := []server.Component{{Name: "roughcut", Version: build.Version}}
	for _, l := range av.Libraries() {
		all = append(all, server.Component(l))
	}
	all = append(all, server.Component{Name: "whisper.cpp", Version: whisper.Version()})
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if name, ok := moduleNames()[module.Path]; ok {
				all = append(all, server.Component{Name: name, Version: strings.TrimPrefix(module.Version, "v")})
			}
		}
	}

	return append(all, server.Component{
		Name:    "Go",
		Version: fmt.Sprintf("%s %s/%s", strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH),
	})
}

// moduleNames returns the names of the Go modules that hold the data and read requests.
func moduleNames() map[string]string {
	return map[string]string{
		"go.etcd.io/bbolt":                "bbolt",
		"github.com/blevesearch/bleve/v2": "Bleve",
		"github.com/labstack/echo/v4":     "Echo",
		"github.com/tus/tusd/v2":          "tusd",
		"github.com/golang-jwt/jwt/v5":    "jwt",
		"github.com/coreos/go-oidc/v3":    "go-oidc",
		"golang.org/x/crypto":             "x/crypto",
		"golang.org/x/net":                "x/net",
	}
}

// floor is the first version of a library without a published hole that a file can reach.
type floor struct{ library, version, hole string }

// safeVersions lists holes that the releases before a version have. Distributions mend some holes
// without a new version, so the floors are not above what the oldest supported distribution has.
func safeVersions() []floor {
	return []floor{
		{"FFmpeg", "7.1.3", "crashes on crafted files, such as CVE-2025-25473"},
		{"dav1d", "1.4.0", "an integer overflow in large AV1 frames, CVE-2024-1580"},
		{"Opus", "1.1.4", "an out-of-bounds access in SILK, CVE-2017-0381"},
		{"zlib", "1.2.13", "a heap overflow in inflate, CVE-2022-37434"},
		{"libass", "0.15.1", "a heap overflow in its cache, CVE-2020-36430"},
		{"FreeType", "2.12.0", "heap overflows in fonts, CVE-2022-27404"},
		{"HarfBuzz", "4.4.0", "an integer overflow in fonts, CVE-2022-33068"},
		{"FriBidi", "1.0.8", "a stack overflow in isolated text, CVE-2019-18397"},
		{"Fontconfig", "2.12.1", "a double free in its cache, CVE-2016-5384"},
	}
}

// checkLibraries warns about libraries that are older than their floor.
func checkLibraries(context.Context, settings) []finding {
	if old := belowFloor(av.Libraries(), safeVersions()); len(old) > 0 {
		return warning(
			"libraries", strings.Join(old, " "),
			"Install the updates of your system, or build with the bundled FFmpeg, without FFMPEG=system.",
		)
	}

	return passed("libraries", "none is known to be vulnerable; roughcut version lists them")
}

// belowFloor returns a sentence for each library that is older than its floor.
func belowFloor(libraries []av.Library, floors []floor) (old []string) {
	for _, l := range libraries {
		for _, f := range floors {
			if f.library == l.Name && slices.Compare(versionNumbers(l.Version), versionNumbers(f.version)) < 0 {
				old = append(old, fmt.Sprintf("%s %s has %s; %s mends it.", l.Name, l.Version, f.hole, f.version))
			}
		}
	}

	return old
}

// versionNumbers returns the numbers of a version such as 1.2.3.
func versionNumbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		all = append(all, n)
	}

	return all
}
