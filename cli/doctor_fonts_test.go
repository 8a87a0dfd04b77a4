package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// The check covers the scripts of living languages.
func TestDoctorChecksScriptsOfLivingLanguages(t *testing.T) {
	for _, script := range []string{
		"Khmer", "Lao", "Myanmar", "Telugu", "Ethiopic", "Gujarati", "Kannada", "Malayalam", "Gurmukhi", "Oriya",
		"Sinhala", "Tibetan", "Cherokee", "Canadian_Aboriginal", "Mongolian", "Thaana", "Syriac", "Nko", "Tifinagh",
		"Adlam", "Vai", "Balinese", "Javanese", "Yi", "Ol_Chiki", "Meetei_Mayek", "Chakma", "Cham", "Tai_Le", "Osage",
	} {
		isChecked := slices.ContainsFunc(fontSamples, func(s struct{ script, sample string }) bool {
			return !strings.ContainsFunc(s.sample, func(r rune) bool {
				return !unicode.In(r, unicode.Scripts[script], unicode.M)
			})
		})
		if !isChecked {
			t.Errorf("%s is not checked", script)
		}
	}
}

// On a machine without fonts, doctor names scripts and packages.
func TestDoctorNamesScriptsWithoutFonts(t *testing.T) {
	conf := filepath.Join(t.TempDir(), "fonts.conf")
	const none = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>`
	if err := os.WriteFile(conf, []byte(none), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FONTCONFIG_FILE", conf)
	t.Setenv("FONTCONFIG_PATH", filepath.Dir(conf))
	found := checkFonts(t.Context(), settings{})
	if len(found) != 1 || found[0].State != stateWarning {
		t.Fatalf("%+v", found)
	}
	for _, want := range []string{"Arabic", "Hebrew", "Hindi", "Thai", "Chinese", "Japanese", "Korean", "emoji"} {
		if !strings.Contains(found[0].Message, want) {
			t.Errorf("%q does not name %s", found[0].Message, want)
		}
	}
	if want := fmt.Sprintf(" and %d other scripts,", len(fontSamples)-12); !strings.Contains(found[0].Message, want) {
		t.Errorf("%q does not say %q", found[0].Message, want)
	}
	if want := "Install fonts-noto-cjk and fonts-noto-core and fonts-symbola."; found[0].Advice != want {
		t.Errorf("advice %q, want %q", found[0].Advice, want)
	}
}
