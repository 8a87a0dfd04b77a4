package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestReferencePagesAreUpToDate(t *testing.T) {
	for name, want := range map[string][]byte{
		"settings.md": settingsPage(),
		"cli.md":      commandsPage(rootCommand(Build{Version: "test"})),
	} {
		got, err := os.ReadFile(filepath.Join("..", "docs", name))
		if err != nil || string(got) != string(want) {
			t.Errorf("docs/%s differs from the code (%v); run make generate", name, err)
		}
	}
}

func TestGuideListsWhatRoughcutReads(t *testing.T) {
	got, err := os.ReadFile(filepath.Join("..", "docs", "guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := guideWithFormats(got)
	if err != nil || string(got) != string(want) {
		t.Errorf("the formats in docs/guide.md differ from the tables in media (%v); run make generate", err)
	}
	for _, part := range []string{"`.mxf`", "DNxHD", "Windows Media Video 8"} {
		if !strings.Contains(string(want), part) {
			t.Errorf("docs/guide.md does not name %s", part)
		}
	}
	if _, err := guideWithFormats([]byte("# User guide\n")); err == nil {
		t.Error("a guide without the marks was accepted")
	}
}

func TestEverySettingHasOneRow(t *testing.T) {
	s := new(settings)
	rows := map[any]string{}
	for _, v := range s.table() {
		if other := rows[v.value]; other != "" {
			t.Errorf("%s and %s have the same value", v.key, other)
		}
		rows[v.value] = v.key
		if !strings.HasSuffix(v.doc, ".") {
			t.Errorf("the description of %s is %q, not a sentence", v.key, v.doc)
		}
		if kind := reflect.TypeOf(v.value).Elem(); v.fallback != nil && reflect.TypeOf(v.fallback) != kind {
			t.Errorf("the default of %s is a %T, not a %s", v.key, v.fallback, kind)
		}
	}
	fields := reflect.ValueOf(s).Elem()
	for i := range fields.NumField() {
		if rows[fields.Field(i).Addr().Interface()] == "" {
			t.Errorf("no row for %s", fields.Type().Field(i).Name)
		}
	}
}

func TestEveryCommandIsDocumented(t *testing.T) {
	page := string(commandsPage(rootCommand(Build{Version: "test"})))
	for _, name := range []string{
		"serve", "desktop", "cut", "models list", "models download", "models verify", "backup", "restore",
		"admin create-user", "admin set-tier", "admin grant-admin", "admin list-users", "config print", "doctor",
		"healthcheck", "version", "licenses",
	} {
		if !strings.Contains(page, "\n## roughcut "+name+"\n") {
			t.Errorf("docs/cli.md has no section for roughcut %s", name)
		}
	}
}

// The help of a command with groups of flags lists every flag under a title. Only --help has none.
func TestHelpOfCutGroupsItsFlags(t *testing.T) {
	root := rootCommand(Build{Version: "test"})
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"cut", "--help"})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest := out.String()
	for _, title := range []string{
		"Output:", "Cuts:", "Captions and audio:", "Other editors:", "Special recordings:",
		"Flags:\n  -h, --help   help for cut\n\nGlobal Flags:",
	} {
		_, after, found := strings.Cut(rest, "\n\n"+title+"\n")
		if !found {
			t.Fatalf("%q is missing or in another place in\n%s", title, out.String())
		}
		rest = after
	}
}
