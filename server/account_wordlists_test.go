package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const wordListsPath = "/api/v1/users/me/word-lists"

func TestWordLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	language := func(code string) map[string]any {
		t.Helper()
		all := p.do("GET", wordListsPath, nil).want(200, "")
		items := all.value("items").([]any)
		i := slices.IndexFunc(items, func(l any) bool { return l.(map[string]any)["language"] == code })
		if i < 0 || all.text("total") != fmt.Sprint(len(items)) {
			t.Fatalf("no %s in %s", code, all.body)
		}
		return items[i].(map[string]any)
	}
	words := func(code, kind, part string) []any {
		t.Helper()
		return language(code)[kind].(map[string]any)[part].([]any)
	}
	if len(words("en", "censored", "built_in")) == 0 || words("en", "fillers", "built_in")[0] != "um" ||
		language("en")["updated_at"] != nil {
		t.Errorf("built-in English words: %v", language("en"))
	}
	put := p.do(
		"PUT",
		wordListsPath,
		map[string]any{
			"language": "en",
			"censored": map[string]any{"added": []string{"Heck"}, "removed": []string{"damn"}},
		},
	).want(200, "")
	if put.text("censored", "added", 0) != "heck" || put.text("censored", "removed", 0) != "damn" ||
		put.value("updated_at") == nil {
		t.Errorf("words %s", put.body)
	}
	p.do(
		"PUT",
		wordListsPath,
		map[string]any{"language": "sw", "fillers": map[string]any{"added": []string{"eti"}, "removed": []string{}}},
	).want(200, "")
	if words("en", "censored", "added")[0] != "heck" || words("sw", "fillers", "added")[0] != "eti" ||
		len(words("sw", "censored", "built_in")) != 0 {
		t.Errorf("both: %v, %v", language("en"), language("sw"))
	}
	many := slices.Repeat([]string{"a"}, 1001)
	for _, c := range []map[string]any{
		{}, {"language": "English"},
		{"language": "en", "censored": map[string]any{"added": many, "removed": []string{}}},
		{"language": "en", "fillers": map[string]any{"added": []string{"two words"}, "removed": []string{}}},
		{
			"language": "en",
			"fillers":  map[string]any{"added": []string{strings.Repeat("x", 65)}, "removed": []string{}},
		},
		{"language": "en", "censored": map[string]any{"added": "heck"}},
	} {
		p.do("PUT", wordListsPath, c).want(422, "unprocessable")
	}
}
