package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"roughcut/media/mediatest"
	"roughcut/store/account"
)

// said creates a project with a clip for each text, in a language.
func (w *world) said(u account.User, language string, texts ...string) []Clip {
	w.t.Helper()
	p := w.project(u)
	var list []Clip
	var r AnalysisResult
	for _, text := range texts {
		c := w.ready(p, 60_000)
		spoken := speech(c.UUID, strings.Fields(text)...)
		spoken.Transcript.Language = language
		r.Transcripts = append(r.Transcripts, spoken)
		list = append(list, c)
	}
	w.analyzed(p, r)
	w.settled()
	return list
}

// fragments returns the fragments of a search, the best first.
func (w *world) fragments(u account.User, q string) []string {
	w.t.Helper()
	var list []string
	for _, hit := range w.search(u, q) {
		list = append(list, hit.Fragment)
	}
	return list
}

// TestSearchFindsOtherForms searches for another form of a word.
func TestSearchFindsOtherForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, said, asked string }{
		{"en", "we were running tests", "run"},
		{"en", "one test", "tests"},
		{"de", "die Häuser brennen", "haus"},
		{"fr", "les chevaux mangent", "mangeront"},
		{"fr", "l'avion part", "avion"},
		{"es", "los caminos largos", "camino"},
		{"it", "le ragazze parlano", "ragazza"},
		{"pt", "as meninas falam", "menina"},
		{"nl", "twee boeken", "boek"},
		{"ru", "большие книги", "книга"},
		{"sv", "flickorna springer", "flickor"},
		{"da", "pigerne løber", "piger"},
		{"fi", "talossa on valo", "talo"},
		{"hu", "a házakban", "ház"},
		{"no", "bøkene ligger", "bøker"},
		{"ro", "copiilor mici", "copii"},
		{"tr", "kitaplar burada", "kitap"},
		{"ar", "الكتاب هنا", "كتاب"}, {"hi", "लड़कियाँ", "लड़कियों"}, {"fa", "كتابي", "کتابی"},
		{"pl", "w cafe byla", "café"}, {"pl", "mówi głośno", "glosno"}, {"", "un café noir", "cafe"},
		{"zh", "今天 我们 讨论 人工 智能 的 发展", "人工智能"},
		{"ja", "今日 は 東京 都 の 話", "東京都"},
		{"ko", "인공지능 이야기", "인공지능"},
		{"zh", "今 天 天 气 很 好", "天气"},
	} {
		t.Run(c.language+" "+c.asked, func(t *testing.T) {
			w := open(t)
			u := w.user("ada")
			w.said(u, c.language, c.said, "nothing of that")
			hits := w.fragments(u, c.asked)
			if len(hits) != 1 || !strings.Contains(hits[0], "<mark>") {
				t.Errorf("%q finds %q in %q", c.asked, hits, c.said)
			}
		})
	}
}

// Words as typed come before other forms, and those before similar spellings.
func TestSearchSortsByCloseness(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	w.said(u, "en", "the framing of this", "the frame lies here", "many frames a second", "the frames of this")
	got := w.fragments(u, "frames second")
	if len(got) != 1 || got[0] != "many <mark>frames</mark> a <mark>second</mark>" {
		t.Errorf("frames second: %q", got)
	}
	hits := w.search(u, "frames")
	if len(hits) != 4 {
		t.Fatalf("frames: %+v", hits)
	}
	for i, hit := range hits {
		if exact := strings.Contains(hit.Fragment, "<mark>frames</mark>"); exact != (i < 2) ||
			exact != (hit.Score == 0.9) {
			t.Errorf("hit %d is %+v", i, hit)
		}
	}
	w.said(u, "en", "a frqmes b")
	if hits := w.search(u, "frames"); len(hits) != 5 || hits[4].Fragment != "a <mark>frqmes</mark> b" ||
		hits[4].Score >= hits[3].Score {
		t.Errorf("with a misspelled word: %+v", hits)
	}
	w.said(u, "en", "of frames this and then the frames of this")
	if hits := w.search(u, "frames of this"); len(hits) < 2 || hits[0].Score != 1 ||
		!strings.Contains(hits[0].Fragment, "<mark>frames of this</mark>") {
		t.Errorf("words in a row: %+v", hits)
	}
}

// TestSearchFindsSimilarSpellings checks how much spelling may differ, and that quoted words must
// match exactly.
func TestSearchFindsSimilarSpellings(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	w.said(u, "en", "our kubernetes cluster", "the cat sat")
	for q, want := range map[string]int{
		"kubernetes":        1,
		"kubernets":         1,
		"kubrenetes":        1,
		"kubernettess":      1,
		"kybernatos":        0,
		"qubernetes":        0,
		"clustre":           1,
		"kubernets clustre": 1,
		"cet":               0, `"kubernets"`: 0, `"kubernetes"`: 1, "kubernets sat": 0,
	} {
		if got := w.fragments(u, q); len(got) != want {
			t.Errorf("%s: %q", q, got)
		}
	}
	got := w.fragments(u, "kubernets clustre")
	if len(got) != 1 || got[0] != "our <mark>kubernetes</mark> <mark>cluster</mark>" {
		t.Errorf("marked is %q", got)
	}
}

func TestSearchCompletesTheLastWord(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	w.said(u, "en", "welcome to the architecture review")
	for q, want := range map[string]int{
		"arch":             1,
		"welcome arch":     1,
		"arch welcome":     0,
		"arch ":            0,
		`"arch"`:           0,
		"a":                0,
		"ar":               1,
		"rchitecture":      0,
		"architecture rev": 1,
	} {
		if got := w.fragments(u, q); len(got) != want {
			t.Errorf("%q: %q", q, got)
		}
	}
}

func TestSearchFindsPhrases(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	long := make([]string, 0, 90)
	for i := range 90 {
		long = append(long, fmt.Sprintf("w%d", i))
	}
	long[38], long[39], long[40] = "across", "the", "border" // in the first window
	w.said(u, "en", "to be or not to be that is the question", "be to or that", strings.Join(long, " "))
	for q, want := range map[string]int{
		`"to be or not to be"`:   1,
		`"be to"`:                1,
		`"not be"`:               0,
		`"to be that"`:           1,
		`"to be" question`:       1,
		`"to be" "the question"`: 1,
		`"to be`:                 1,
		`"to be" questions`:      1, `"the questions"`: 0, `"across the border"`: 1, `"or that"`: 1, `"be or that"`: 0,
	} {
		if got := w.fragments(u, q); len(got) != want {
			t.Errorf("%s: %q", q, got)
		}
	}
	w.said(u, "en", "we go now and then they go home")
	if hits, _, err := w.Search(u.UUID, `"we go home"`, "", Page{}); err != nil || len(hits) != 0 {
		t.Errorf("a phrase with all its pairs but not in a row: %+v, %v", hits, err)
	}
	got := w.fragments(u, `"to be"`)
	if len(got) != 1 || got[0] != "<mark>to be</mark> or not <mark>to be</mark> that is the question" {
		t.Errorf("marked is %q", got)
	}
}

// TestSearchFindsOwnDataOnly searches in all ways for the words of another user.
func TestSearchFindsOwnDataOnly(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	w.said(stranger, "en", "the secret password was spoken")
	w.said(u, "de", "nichts dergleichen")
	for _, q := range []string{"secret", "secrets", "sceret", "sec", `"secret password"`, "secret password"} {
		if got := w.fragments(u, q); len(got) != 0 {
			t.Errorf("%s: %q", q, got)
		}
		if got := w.fragments(stranger, q); len(got) != 1 {
			t.Errorf("%s: its owner finds %q", q, got)
		}
	}
}

// Pages have every hit once, in one order.
func TestSearchPagesHaveEveryHitOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	texts := make([]string, 9)
	for i := range texts {
		texts[i] = fmt.Sprintf("number %d", i)
	}
	w.said(u, "en", texts...)
	all := w.fragments(u, "number")
	var paged []string
	for number := 1; number <= 5; number++ {
		hits, total, err := w.Search(u.UUID, "number", "", Page{Number: number, Size: 2})
		must(t, err)
		if total != 9 || len(hits) > 2 {
			t.Errorf("page %d: %d of %d", number, len(hits), total)
		}
		for _, hit := range hits {
			paged = append(paged, hit.Fragment)
		}
	}
	if strings.Join(all, "|") != strings.Join(paged, "|") || len(all) != 9 {
		t.Errorf("in pages %q, in one %q", paged, all)
	}
}

// A deleted clip is not found once the index has caught up.
func TestSearchSeesChanges(t *testing.T) {
	t.Parallel()
	deleteFromIndex(t)
}

// A change can be found in much less time than a search may take.
func TestTimingSearchSeesChanges(t *testing.T) {
	mediatest.NeedsTiming(t)
	if took := deleteFromIndex(t); took >= 10*time.Second {
		t.Errorf("a deletion takes %v to reach the index", took)
	}
}

// deleteFromIndex deletes a clip and returns the time until the index has caught up.
func deleteFromIndex(t *testing.T) (took time.Duration) {
	t.Helper()
	w := open(t)
	u := w.user("ada")
	clips := w.said(u, "en", "here today", "and more")
	start := time.Now()
	must(t, w.DeleteClip(u.UUID, clips[0].UUID))
	w.settled()
	took = time.Since(start)
	if got := w.fragments(u, "today"); len(got) != 0 {
		t.Errorf("a deleted clip is found: %q", got)
	}
	return took
}

// TestSearchFindsAssets searches for assets by name, tags and groups, after every kind of change.
func TestSearchFindsAssets(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	w.said(u, "en", "the logo of our company")
	group := get(w.CreateGroup(u.UUID, Group{Name: "Brand", Description: "What every video opens with"}))(t)
	w.confirmed(stranger, NewAsset{DisplayName: "Their logo"}, 10)
	waits := w.sent(u, NewAsset{DisplayName: "Unconfirmed"}, 10)
	a := w.confirmed(u, NewAsset{DisplayName: "Company Logo, <white>", Tags: []string{"corner", "Café"}}, 10)
	asked := func(when string, want map[string]int) {
		t.Helper()
		w.settled()
		for q, n := range want {
			hits, total, err := w.Search(u.UUID, q, HitAsset, Page{})
			must(t, err)
			if len(hits) != n || total != n ||
				(n > 0 && (hits[0].Kind != HitAsset || hits[0].AssetUUID != a.UUID || hits[0].ClipUUID != "")) {
				t.Errorf("%s, %s finds %+v", when, q, hits)
			}
		}
	}
	asked(
		"at first",
		map[string]int{
			"logo":           1,
			"lgoo":           1,
			"comp":           1,
			"company corner": 1,
			"cafe":           1,
			"café":           1,
			`"company logo"`: 1,
			`"logo company"`: 0,
			"brand":          0,
			"their":          0,
			"unconfirmed":    0,
			"corner white":   1,
		},
	)
	hits, total, err := w.Search(u.UUID, "company logo", "", Page{})
	must(t, err)
	if total != 2 || hits[0].Kind != HitAsset || hits[1].Kind != HitTranscript {
		t.Errorf("both kinds: %+v", hits)
	}
	if want := "<mark>Company Logo</mark>, &lt;white&gt;"; hits[0].Fragment != want ||
		hits[0].DisplayName != "Company Logo, <white>" {
		t.Errorf("the asset's hit is %+v, want %s", hits[0], want)
	}
	if hits, _, err := w.Search(u.UUID, "corner white", HitAsset, Page{}); err != nil || len(hits) != 1 ||
		hits[0].Fragment != "Company Logo, &lt;<mark>white</mark>&gt; · <mark>corner</mark>" {
		t.Errorf("in two parts: %+v, %v", hits, err)
	}
	get(w.AddToGroups(u.UUID, a.UUID, group.UUID))(t)
	asked("in a group", map[string]int{"brand": 1, "opens": 1, "opens corner": 1})
	get(w.UpdateGroup(u.UUID, group.UUID, func(g *Group) { g.Name, g.Description = "Identity", "" }))(t)
	asked("with the group renamed", map[string]int{"brand": 0, "opens": 0, "identity": 1})
	get(w.UpdateAsset(u.UUID, a.UUID, ptr("Emblem"), ptr([]string{"dark"})))(t)
	asked("renamed", map[string]int{"logo": 0, "emblem": 1, "corner": 0, "dark": 1, "identity": 1})
	w.clean()
	must(t, w.DeleteGroup(u.UUID, group.UUID))
	asked("without the group", map[string]int{"identity": 0, "emblem": 1})
	must(t, w.Close())
	must(t, os.RemoveAll(w.indexPath()))
	w.start()
	asked("in an index built anew", map[string]int{"identity": 0, "emblem": 1, "unconfirmed": 0})
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	must(t, w.DeleteAsset(u.UUID, waits.UUID))
	asked("deleted", map[string]int{"emblem": 0})
	if hits := w.fragments(u, "logo"); len(hits) != 1 {
		t.Errorf("the transcript is found as %q", hits)
	}
	w.clean()
}
