package search

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

func lexiconFor(t *testing.T) *lexicon {
	t.Helper()
	l, err := newLexicon()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// memory is a source that keeps its documents in memory.
type memory struct {
	mu        sync.Mutex
	documents map[string][]Document // by subject
	changes   []Change
	last      uint64
	read      func(subject string) // called before the documents of a subject are read
}

func (m *memory) Changes(after uint64) (Changes, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := Changes{Instance: "memory", Last: m.last}
	if len(m.changes) > 0 {
		out.First = m.changes[0].Number
	}
	for _, c := range m.changes {
		if c.Number > after {
			out.List = append(out.List, c)
		}
	}
	return out, nil
}

func (m *memory) Subjects() (list []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for subject := range m.documents {
		list = append(list, subject)
	}
	return list, nil
}

func (m *memory) Documents(subject string) ([]Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read != nil {
		m.read(subject)
	}
	return m.documents[subject], nil
}

func (m *memory) Forget(upTo uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.changes) > 0 && m.changes[0].Number <= upTo {
		m.changes = m.changes[1:]
	}
	return nil
}

// transcribe adds a project with one clip, in windows of one text each, and returns its uuid.
func (m *memory) transcribe(user string, texts ...string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	project, run, clip := uuid.NewString(), uuid.NewString(), uuid.NewString()
	for i, text := range texts {
		m.documents[project] = append(m.documents[project], Document{
			ID:       ID{Window: Window{project, run, clip, i * WindowWords}},
			UserUUID: user,
			Text:     text,
			Language: "en",
		})
	}
	m.last++
	m.changes = append(m.changes, Change{project, m.last})
	return project
}

func newIndex(t *testing.T, dir string, source Source) *Index {
	t.Helper()
	x, err := New(dir, source, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// settled waits until an index has every change.
func settled(t *testing.T, x *Index) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for now := range time.Tick(time.Millisecond) {
		if state, err := x.State(); err == nil && state == Ready {
			return
		}
		if now.After(deadline) {
			t.Fatal("the index does not catch up")
		}
	}
}

func TestFindFailsBeforeTheIndexIsOpen(t *testing.T) {
	x := newIndex(t, t.TempDir(), &memory{})
	query := Query{UserUUID: uuid.NewString(), Text: "word", Transcripts: true}
	if _, err := x.Find(t.Context(), query); !errors.Is(err, ErrBuilding) {
		t.Errorf("got %v, want %v", err, ErrBuilding)
	}
	query.Text = ` "" `
	if _, err := x.Find(t.Context(), query); !errors.Is(err, ErrNoWords) {
		t.Errorf("got %v, want %v", err, ErrNoWords)
	}
}

// Accounts made in the same millisecond have uuids that begin alike.
func TestFindTellsUsersOfOneMillisecondApart(t *testing.T) {
	ada := uuid.Must(uuid.NewV7())
	eve := uuid.Must(uuid.NewV7())
	copy(eve[:8], ada[:8])
	source := &memory{documents: map[string][]Document{}}
	source.transcribe(eve.String(), "the secret password was spoken")
	x := newIndex(t, t.TempDir(), source)
	x.Start()
	settled(t, x)
	for user, want := range map[uuid.UUID]int{ada: 0, eve: 1} {
		found, err := x.Find(t.Context(), Query{UserUUID: user.String(), Text: "secret", Transcripts: true})
		if err != nil || len(found) != want {
			t.Errorf("%s finds %+v, %v", user, found, err)
		}
	}
}

// The index resumes an interrupted catch-up.
func TestCatchUpResumesAfterClose(t *testing.T) {
	dir, user := t.TempDir(), uuid.NewString()
	source := &memory{documents: map[string][]Document{}}
	x := newIndex(t, dir, source)
	x.Start()
	settled(t, x)
	x.Close()

	long := make([]string, maxBatch+10) // more windows than one batch takes
	for i := range long {
		long[i] = strings.Repeat("word ", 10)
	}
	source.transcribe(user, "first")
	second := source.transcribe(user, long...)
	source.transcribe(user, "third")

	x = newIndex(t, dir, source)
	ix, err := openBleve(x.path())
	if err != nil {
		t.Fatal(err)
	}
	before, err := x.pending(ix)
	if err != nil || before.rebuild || len(before.changes) != 3 {
		t.Fatalf("pending before: %+v, %v", before, err)
	}
	source.read = func(subject string) {
		if subject == second {
			x.close.Do(func() { close(x.stop) })
		}
	}
	if err := x.catchUp(ix); !errors.Is(err, errClosed) {
		t.Fatalf("the interrupted catch-up returned %v, want %v", err, errClosed)
	}
	source.read = nil
	left, err := x.pending(ix)
	if err != nil || left.rebuild || len(left.changes) != 2 || left.changes[0].Subject != second {
		t.Errorf("pending after: %+v, %v", left, err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}

	x = newIndex(t, dir, source)
	x.Start()
	settled(t, x)
	for text, want := range map[string]int{"first": 1, "third": 1, "word": maxFound} {
		found, err := x.Find(t.Context(), Query{UserUUID: user, Text: text, Transcripts: true})
		if err != nil || len(found) != want {
			t.Errorf("%q finds %d documents, want %d (%v)", text, len(found), want, err)
		}
	}
	if problems := x.Verify(); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestKeysLeadBackToTheirIDs(t *testing.T) {
	for _, id := range []ID{
		{Asset: uuid.NewString()},
		{Window: Window{uuid.NewString(), uuid.NewString(), uuid.NewString(), 1 << 20}},
	} {
		if got, err := parseKey(id.Key()); err != nil || got != id {
			t.Errorf("%+v became %+v, %v", id, got, err)
		}
	}
	if _, err := parseKey("short"); err == nil {
		t.Error("an unknown key has an id")
	}
}

func TestHighlightEscapesTheText(t *testing.T) {
	got := Highlight("a <b> & c", []Span{{2, 5}})
	if want := "a <mark>&lt;b&gt;</mark> &amp; c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func ExampleHighlight() {
	fmt.Println(Highlight("milk & honey", []Span{{Start: 7, End: 12}}))
	// Output: milk &amp; <mark>honey</mark>
}
