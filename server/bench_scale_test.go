//go:build unix

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media/mediatest"
	"roughcut/server/api"
	"roughcut/store"
)

const benchClients = 8

// asker sends requests of one session to one address.
type asker struct {
	base   string
	w      *site
	client *http.Client
}

func (w *site) asker(base string) *asker {
	return &asker{
		base,
		w,
		&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients, DisableCompression: true}},
	}
}

// ask returns the size of a response and fails unless its status is 200.
func (a *asker) ask(method, path, body string) (int64, error) {
	r, err := http.NewRequest(method, a.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err
	}
	r.AddCookie(a.w.session)
	r.Header.Set(csrfHeader, a.w.csrf)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := a.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, err := io.ReadAll(response.Body)
		return 0, errors.Join(err, fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, body))
	}
	return io.Copy(io.Discard, response.Body)
}

// against measures the server and its peer in turn, three pairs, and prints the run with the median
// p50 with goal and limit.
func against(b *testing.B, what string, n int, want, limit string, ours, peer func(i int) error) {
	b.Helper()
	var a, p []run
	for range 3 {
		a, p = append(a, timed(b, benchClients, n, ours)), append(p, timed(b, benchClients, n, peer))
	}
	x, y := middle(a), middle(p)
	b.Logf(
		"goal: %s: p50 %.2f ms, p99 %.2f ms (goal %s) · bare program p50 %.2f, p99 %.2f · ratio %.2f, p99 %.2f "+
			"(limit %s) · processors %.3f ms against %.3f, ratio %.2f",
		what,
		milliseconds(x.at(0.5)),
		milliseconds(x.at(0.99)),
		want,
		milliseconds(y.at(0.5)),
		milliseconds(y.at(0.99)),
		float64(x.at(0.5))/float64(y.at(0.5)),
		float64(x.at(0.99))/float64(y.at(0.99)),
		limit,
		milliseconds(x.processors),
		milliseconds(y.processors),
		float64(x.processors)/float64(y.processors),
	)
}

// middle returns the run with the median p50 of three.
func middle(runs []run) run {
	a, b, c := runs[0], runs[1], runs[2]
	for _, t := range [][3]run{{a, b, c}, {b, a, c}, {c, a, b}} {
		m := t[0].at(0.5)
		if lo, hi := min(t[1].at(0.5), t[2].at(0.5)), max(t[1].at(0.5), t[2].at(0.5)); m >= lo && m <= hi {
			return t[0]
		}
	}
	return a
}

// BenchmarkAccount measures one account with 10,000 projects, 100,000 edits and 1,000 hours of
// speech over HTTP, next to the bare program.
func BenchmarkAccount(b *testing.B) {
	dir := scaleDir(b)
	w := newSite(b, dir)
	start := time.Now().Add(-w.opened) // work that follows the sign-in
	ours := w.asker(w.http.URL)
	if _, err := ours.ask("GET", "/api/v1/projects/", ""); err != nil {
		b.Fatal(err)
	}
	first := time.Since(start)
	waitForIndex(b, w.store, w.user.UUID, lastWord(scaleHours-1), time.Minute)
	found := time.Since(start)
	b.Run("start", func(b *testing.B) {
		b.Logf(
			"goal: start to first response: %.0f ms (goal 250), to the first search %.0f ms, heap %d MB",
			milliseconds(first),
			milliseconds(found),
			heapBytes()>>20,
		)
	})
	b.Run("requests", func(b *testing.B) { w.benchRequests(b, ours) })
	b.Run("search", func(b *testing.B) { w.benchSearch(b, ours) })
	b.Run("index", func(b *testing.B) { w.benchIndex(b, dir) })
}

// benchRequests measures the most frequent reads and changes.
func (w *site) benchRequests(b *testing.B, ours *asker) {
	b.Helper()
	projects, lectures := w.projects(b)
	edits := w.edits(b, lectures[:10])
	peer := newBare(b, w, edits)
	theirs := w.asker(peer.http.URL)
	get := func(a *asker) func(i int) error {
		return func(i int) error {
			_, err := a.ask("GET", "/api/v1/projects/"+projects[i*37%len(projects)], "")
			return err
		}
	}
	list := func(a *asker) func(i int) error {
		return func(i int) error {
			_, err := a.ask("GET", fmt.Sprintf("/api/v1/projects?page=%d", 1+i%20), "")
			return err
		}
	}
	toggle := func(a *asker) func(i int) error {
		return func(i int) error {
			_, err := a.ask(
				"PATCH",
				"/api/v1/edits/"+edits[i%len(edits)].UUID,
				fmt.Sprintf(`{"active":%t}`, i/len(edits)%2 == 1),
			)
			return err
		}
	}
	against(b, "get one project", 4000, "p99 6 ms", "1.5", get(ours), get(theirs))
	against(b, "list 50 of 10,000 projects", 2000, "p99 9 ms", "1.5", list(ours), list(theirs))
	against(b, "change an edit, flushed", 2000, "900 a second, p99 20 ms", "1.16", toggle(ours), toggle(theirs))
	w.benchMany(b, ours, edits)
}

func heapBytes() uint64 {
	for range 4 { // each collection halves oversized stacks
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// projects returns the IDs of the projects without a transcript and of those with one.
func (w *site) projects(b *testing.B) (empty, lectures []string) {
	b.Helper()
	list, _, err := w.store.Projects(w.user.UUID, store.ProjectFilter{}, store.Page{})
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range list {
		if p.ActiveRunUUID == "" {
			empty = append(empty, p.UUID)
		} else {
			lectures = append(lectures, p.UUID)
		}
	}
	return empty, lectures
}

func (w *site) edits(b *testing.B, projects []string) (all []api.Edit) {
	b.Helper()
	for _, project := range projects {
		list, err := w.store.Edits(w.user.UUID, project, false)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, mapSlice(list, editRecord)...)
	}
	return all
}

// benchMany toggles 500 edits in one request, and one edit, in turn.
func (w *site) benchMany(b *testing.B, a *asker, edits []api.Edit) {
	b.Helper()
	list, _, err := w.store.Projects(w.user.UUID, store.ProjectFilter{}, store.Page{Number: 1, Size: 1})
	if err != nil {
		b.Fatal(err)
	}
	project := list[0].UUID
	var ids []string
	for i := range int64(500) {
		e, err := w.store.CreateEdit(
			w.user.UUID,
			project,
			store.Edit{Type: store.EditManual, StartMS: i * 1000, EndMS: i*1000 + 500, Active: true},
		)
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, e.UUID)
	}
	many := timed(b, 1, 40, func(i int) error {
		var body strings.Builder
		for n, id := range ids {
			fmt.Fprintf(&body, `%s{"uuid":%q,"active":%t}`, map[bool]string{true: "", false: ","}[n == 0], id, i%2 == 1)
		}
		_, err := a.ask("PATCH", "/api/v1/projects/"+project+"/edits", `{"edits":[`+body.String()+`]}`)
		return err
	})
	one := timed(b, 1, 100, func(i int) error {
		_, err := a.ask("PATCH", "/api/v1/edits/"+edits[0].UUID, fmt.Sprintf(`{"active":%t}`, i%2 == 1))
		return err
	})
	b.Logf(
		"goal: 500 edits in one request: p50 %.2f ms, one edit %.2f ms · ratio %.2f (goal 2) · processors %.2f ms "+
			"against %.2f",
		milliseconds(many.at(0.5)),
		milliseconds(one.at(0.5)),
		float64(many.at(0.5))/float64(one.at(0.5)),
		milliseconds(many.processors),
		milliseconds(one.processors),
	)
}

// benchSearch searches as people do: for two nearby words, a phrase in quotes, a misspelled word,
// and an unfinished word. The queries follow the word frequency of the transcripts.
func (w *site) benchSearch(b *testing.B, a *asker) {
	b.Helper()
	v := newVoice(99)
	v.words = newVoice(7).words
	rare := func() string { // skips the most common words, as people do
		for {
			if n := v.zipf.Uint64(); n >= 100 {
				return v.words[n]
			}
		}
	}
	const n = 400
	for _, c := range []struct {
		what, want string
		question   func() string
	}{
		{"two words", "p50 5 ms, p99 25 ms", func() string { return rare() + " " + rare() }},
		{
			"two of the commonest words", "p99 25 ms",
			func() string { return v.words[v.random.IntN(50)] + " " + v.words[v.random.IntN(50)] },
		},
		{"a phrase", "p50 10 ms, p99 50 ms", func() string { return `"` + v.word() + " " + v.word() + `"` }},
		{"a misspelled word", "", func() string {
			word := v.words[1000+v.random.IntN(20_000)]
			return word[:len(word)-2] + "x" + word[len(word)-1:] + " "
		}},
		{"a word being typed", "", func() string { word := v.words[200+v.random.IntN(20_000)]; return word[:3] }},
	} {
		questions := make([]string, n)
		for i := range questions {
			questions[i] = c.question()
		}
		hits := 0
		took := timed(b, 1, n, func(i int) error {
			size, err := a.ask("GET", "/api/v1/search?q="+url.QueryEscape(questions[i]), "")
			if size > 200 {
				hits++
			}
			return err
		})
		b.Logf(
			"goal: search for %s: p50 %.2f ms, p99 %.2f ms (goal %s; a scan of memory 28 ms), processors %.2f ms, %d "+
				"of %d find something",
			c.what,
			milliseconds(took.at(0.5)),
			milliseconds(took.at(0.99)),
			c.want,
			milliseconds(took.processors),
			hits,
			n,
		)
	}
}

// benchIndex adds an hour of speech to the account several times. It measures the time from storing
// the transcript until a search finds its last word.
func (w *site) benchIndex(b *testing.B, dir string) {
	b.Helper()
	for more := true; more; { // the assets of the account wait for processing and would come first
		var err error
		if _, more, err = w.store.ClaimJob(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	v := newVoice(11)
	var took times
	before := mediatest.CPUTime(b)
	for i := range 7 {
		if err := addHour(w.store, dir, w.user.UUID, scaleHours+i, v); err != nil {
			b.Fatal(err)
		}
		stored := time.Now()
		waitForIndex(b, w.store, w.user.UUID, lastWord(scaleHours+i), time.Minute)
		took = append(took, time.Since(stored))
	}
	used := (mediatest.CPUTime(b) - before) / time.Duration(len(took))
	slices.Sort(took)
	b.Logf(
		"goal: an hour of transcript can be searched %.0f ms after it is stored (goal 150, at most 1000; longest "+
			"%.0f), processors %.0f ms with storing it and asking",
		milliseconds(took.at(0.5)),
		milliseconds(took.at(1)),
		milliseconds(used),
	)
}
