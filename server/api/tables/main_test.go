package main

import (
	"os"
	"strings"
	"testing"

	"roughcut/media"
)

func TestRewriteTakesEnumsFromTables(t *testing.T) {
	const text = `
a: {type: string, enum: [old], x-go-table: styles, default: old, description: "Default old"}
b: {type: string, x-go-table: styles, enum: []}
c: {type: string, enum: [old]}
`
	const want = `
a: {type: string, enum: [plain, fancy], x-go-table: styles, default: plain, description: "Default plain"}
b: {type: string, x-go-table: styles, enum: [plain, fancy]}
c: {type: string, enum: [old]}
`
	got, err := rewrite(text, map[string][]string{"styles": {"plain", "fancy"}})
	if err != nil || got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

func TestRewriteReportsBrokenMarkers(t *testing.T) {
	styles := map[string][]string{"styles": {"plain"}}
	for text, want := range map[string]string{
		"a: {enum: [x], x-go-table: colors}": `table "colors" does not exist`,
		"a: {x-go-table: styles}":            "needs an enum",
		"a: {enum: [x]}":                     "no line has the marker",
	} {
		if _, err := rewrite(text, styles); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// The contract is up to date with the tables of package media.
func TestContractListsAllKinds(t *testing.T) {
	text, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := rewrite(string(text), tables())
	if err == nil {
		got, err = rewriteOptions(got, media.CutOptionTable())
	}
	if err != nil || got != string(text) {
		t.Errorf("openapi.yaml differs from the tables of package media (%v); run go generate ./server/api", err)
	}
}
