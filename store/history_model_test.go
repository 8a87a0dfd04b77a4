package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roughcut/media"
)

// shown returns all of a project that the history can change, without the times of changes.
func (w *world) shown(p Project) string {
	w.t.Helper()
	user := p.UserUUID
	now := get(w.Store.Project(user, p.UUID))(w.t)
	var order []string
	for _, c := range get(w.Clips(user, p.UUID))(w.t) {
		order = append(order, c.UUID+" "+c.Name)
	}
	lines, _, err := w.CaptionLines(user, p.UUID, Page{})
	must(w.t, err)
	for i := range lines {
		lines[i].UpdatedAt = time.Time{}
	}
	marks := get(w.Markers(user, p.UUID))(w.t)
	for i := range marks {
		marks[i].UpdatedAt = time.Time{}
	}
	ranges := w.shorts(p)
	for i := range ranges {
		ranges[i].UpdatedAt = time.Time{}
	}
	saved := map[string]any{}
	for _, d := range get(w.Drafts(user, p.UUID))(w.t) {
		saved[d.Name] = get(w.Draft(user, d.UUID))(w.t).EditOverrides
	}
	run, spoken, err := w.Run(user, p.UUID, now.ActiveRunUUID)
	must(w.t, err)
	state := map[string]any{
		"clips": order, "edits": json.RawMessage(w.state(p)), "captions": lines, "markers": marks, "drafts": saved,
		"run": run.UUID, "settings": run.AnalysisSettings, "words": spoken.Words, "segments": spoken.Segments,
		"takes": get(w.TakeGroups(user, p.UUID))(w.t),
	}
	if len(ranges) > 0 { // the states of an older version have none
		state["shorts"] = ranges
	}
	packed, err := json.Marshal(state)
	must(w.t, err)
	return string(packed)
}

// studio is a project with all that the history can change, and a random source.
type studio struct {
	*world
	p     Project
	rand  *rand.Rand
	asset Asset
	found Proposal // by the last analysis
}

func newStudio(w *world, seed uint64) *studio {
	u := w.user(fmt.Sprint("user", seed))
	s := &studio{world: w, p: w.project(u), rand: rand.New(rand.NewPCG(seed, 1))}
	s.asset = w.named(u, "cup.png")
	for range 2 {
		w.ready(s.p, 20_000)
	}
	s.analyze()
	s.analyze()
	return s
}

// analyze runs an analysis with speech, takes and a placed asset.
func (s *studio) analyze() {
	s.t.Helper()
	r := AnalysisResult{Language: "en", Evidence: []byte("{}")}
	for _, c := range get(s.Clips(s.p.UserUUID, s.p.UUID))(s.t) {
		spoken := speech(c.UUID, "My", "cuber", "netties", "file", "My", "cuber", "netties", "file", "is", "long")
		for i := range spoken.Words {
			spoken.Words[i].Speaker = []string{"A", "B"}[i/5]
		}
		spoken.Segments = []media.TimedText{{Text: "My cuber netties file", EndMS: 1900}}
		r.Transcripts = append(r.Transcripts, spoken)
		for i, text := range []string{"My cuber netties file", "My cuber netties", "file is long"} {
			line := media.TimedText{Text: text, StartMS: int64(i) * 1500, EndMS: int64(i)*1500 + 1400}
			r.CaptionLines = append(r.CaptionLines, ClipCaption{ClipUUID: c.UUID, TimedText: line})
		}
		start := int64(6000 + 500*s.rand.IntN(3))
		r.Edits = append(r.Edits, silence(c.UUID, start, start+900), silence(c.UUID, 9000, 9800))
		r.Edits = append(r.Edits, placing(c.UUID, s.asset, 11_000, 13_000, true))
		group := s.NewID()
		r.Edits = append(r.Edits, DetectedEdit{
			ClipUUID: c.UUID, Type: EditFalseStart, Span: media.Span{EndMS: 1900}, Active: true,
			Reason: "Said again: “My cuber netties file”", Confidence: .8, TakeGroup: group, TakeNumber: 1,
		})
		r.TakeGroups = append(r.TakeGroups, DetectedTakeGroup{
			ID: group, ClipUUID: c.UUID, Proposed: 2, Takes: []DetectedTake{
				{Span: media.Span{EndMS: 1900}, Text: "My cuber netties file", Reason: "First"},
				{Span: media.Span{StartMS: 2000, EndMS: 3900}, Text: "My cuber netties file", Reason: "Last"},
			},
		})
	}
	s.found = Proposal{Edits: r.Edits, TakeGroups: r.TakeGroups}
	s.analyzed(s.p, r)
}

// command is one change of a project under a name; it may refuse.
type command struct {
	name string
	do   func(s *studio, as Change) error
}

func pick[T any](s *studio, list []T) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[s.rand.IntN(len(list))], true
}

// onEdit returns a command that changes a random edit.
func onEdit(fn func(s *studio, e Edit, as Change) error) func(*studio, Change) error {
	return func(s *studio, as Change) error {
		e, ok := pick(s, get(s.Edits(s.p.UserUUID, s.p.UUID, false))(s.t))
		if !ok {
			return nil
		}
		return fn(s, e, as)
	}
}

func onClip(fn func(s *studio, c Clip, as Change) error) func(*studio, Change) error {
	return func(s *studio, as Change) error {
		c, ok := pick(s, get(s.Clips(s.p.UserUUID, s.p.UUID))(s.t))
		if !ok {
			return nil
		}
		return fn(s, c, as)
	}
}

func onCaption(fn func(s *studio, l CaptionLine, as Change) error) func(*studio, Change) error {
	return func(s *studio, as Change) error {
		lines, _, err := s.CaptionLines(s.p.UserUUID, s.p.UUID, Page{})
		l, ok := pick(s, lines)
		if err != nil || !ok {
			return err
		}
		return fn(s, l, as)
	}
}

func onShort(fn func(s *studio, m Short, as Change) error) func(*studio, Change) error {
	return func(s *studio, as Change) error {
		m, ok := pick(s, s.shorts(s.p))
		if !ok {
			return nil
		}
		return fn(s, m, as)
	}
}

func onMarker(fn func(s *studio, m Marker, as Change) error) func(*studio, Change) error {
	return func(s *studio, as Change) error {
		m, ok := pick(s, get(s.Markers(s.p.UserUUID, s.p.UUID))(s.t))
		if !ok {
			return nil
		}
		return fn(s, m, as)
	}
}

// commands are all kinds of changes that the history has.
var commands = []command{
	{"create edit", func(s *studio, as Change) error {
		at := s.rand.Int64N(30_000)
		e := Edit{StartMS: at, EndMS: at + 1 + s.rand.Int64N(9000), Active: true}
		_, err := s.CreateEdit(s.p.UserUUID, s.p.UUID, e, as)
		return err
	}},
	{"place asset", func(s *studio, as Change) error {
		at := s.rand.Int64N(38_000)
		e := Edit{StartMS: at, EndMS: at + 900, Active: true}
		_, err := s.PlaceAsset(s.p.UserUUID, s.p.UUID, e, PlacementChange{AssetFileID: &s.asset.AssetFileID}, as)
		return err
	}},
	{"change edit", onEdit(func(s *studio, e Edit, as Change) error {
		c := EditChange{Active: ptr(!e.Active)}
		if s.rand.IntN(2) == 0 {
			c = EditChange{EndMS: ptr(e.EndMS + 1 + s.rand.Int64N(3000))}
		} else if e.Placement != nil {
			c = EditChange{Placement: PlacementChange{SizePercent: ptr(1 + s.rand.IntN(100))}}
		}
		_, err := s.UpdateEdit(s.p.UserUUID, e.UUID, c, as)
		return err
	})},
	{"change edits", onEdit(func(s *studio, e Edit, as Change) error {
		list := []NamedEditChange{{e.UUID, EditChange{Active: ptr(false)}}}
		for _, other := range get(s.Edits(s.p.UserUUID, s.p.UUID, false))(s.t) {
			if other.UUID != e.UUID && other.Placement == nil && s.rand.IntN(2) == 0 {
				list = append(list, NamedEditChange{other.UUID, EditChange{Action: ptr(ActionMute)}})
			}
		}
		_, _, err := s.UpdateEdits(s.p.UserUUID, s.p.UUID, list, as)
		return err
	})},
	{"delete edit", onEdit(func(s *studio, e Edit, as Change) error {
		_, _, err := s.DeleteEdit(s.p.UserUUID, e.UUID, as)
		return err
	})},
	{"choose take", func(s *studio, as Change) error {
		g, ok := pick(s, get(s.TakeGroups(s.p.UserUUID, s.p.UUID))(s.t))
		if !ok {
			return nil
		}
		_, _, err := s.ChooseTake(s.p.UserUUID, s.p.UUID, g.ID, 1+s.rand.IntN(2), as)
		return err
	}},
	{"add caption", func(s *studio, as Change) error {
		at := s.rand.Int64N(38_000)
		span := media.Span{StartMS: at, EndMS: at + 500}
		_, err := s.CreateCaptionLine(s.p.UserUUID, s.p.UUID, "by hand", span, as)
		return err
	}},
	{"edit caption", onCaption(func(s *studio, l CaptionLine, as Change) error {
		c := CaptionChange{Text: ptr(fmt.Sprint("cuber netties ", s.rand.IntN(100)))}
		if s.rand.IntN(2) == 0 {
			c = CaptionChange{StartMS: ptr(l.StartMS + 10), Speaker: ptr("C")}
		}
		_, err := s.UpdateCaptionLine(s.p.UserUUID, l.UUID, c, as)
		return err
	})},
	{"delete caption", onCaption(func(s *studio, l CaptionLine, as Change) error {
		return s.DeleteCaptionLine(s.p.UserUUID, l.UUID, as)
	})},
	{"split caption", onCaption(func(s *studio, l CaptionLine, as Change) error {
		_, err := s.SplitCaptionLine(s.p.UserUUID, l.UUID, 3, nil, as)
		return err
	})},
	{"merge captions", onCaption(func(s *studio, l CaptionLine, as Change) error {
		_, err := s.MergeCaptionLine(s.p.UserUUID, l.UUID, as)
		return err
	})},
	{"import captions", func(s *studio, as Change) error {
		_, _, err := s.ImportCaptionLines(s.p.UserUUID, s.p.UUID, CaptionImport{
			Replace: s.rand.IntN(2) == 0,
			Lines:   []media.CaptionLine{{Text: "imported", StartMS: 100, EndMS: 900}},
		}, as)
		return err
	}},
	{"add marker", func(s *studio, as Change) error {
		m := Marker{Kind: MarkerChapter, Name: "new", TimeMS: s.rand.Int64N(38_000)}
		_, err := s.CreateMarker(s.p.UserUUID, s.p.UUID, m, as)
		return err
	}},
	{"change marker", onMarker(func(s *studio, m Marker, as Change) error {
		c := MarkerChange{Name: ptr(fmt.Sprint(s.rand.IntN(100)))}
		if s.rand.IntN(2) == 0 {
			c = MarkerChange{TimeMS: ptr(s.rand.Int64N(38_000))}
		}
		_, err := s.UpdateMarker(s.p.UserUUID, m.UUID, c, as)
		return err
	})},
	{"delete marker", onMarker(func(s *studio, m Marker, as Change) error {
		return s.DeleteMarker(s.p.UserUUID, m.UUID, as)
	})},
	{"add short", func(s *studio, as Change) error {
		start := s.rand.Int64N(35_000)
		m := Short{Name: "new", StartMS: start, EndMS: start + 1 + s.rand.Int64N(3_000), ExportSettings: []byte(`{}`)}
		_, err := s.CreateShort(s.p.UserUUID, s.p.UUID, m, as)
		return err
	}},
	{"change short", onShort(func(s *studio, m Short, as Change) error {
		c := ShortChange{Name: ptr(fmt.Sprint(s.rand.IntN(100)))}
		switch s.rand.IntN(3) {
		case 0:
			c = ShortChange{StartMS: ptr(s.rand.Int64N(m.EndMS))}
		case 1:
			c = ShortChange{ExportSettings: fmt.Appendf(nil, `{"fit":"crop","n":%d}`, s.rand.IntN(100))}
		}
		_, err := s.UpdateShort(s.p.UserUUID, s.p.UUID, m.UUID, c, as)
		return err
	})},
	{"delete short", onShort(func(s *studio, m Short, as Change) error {
		return s.DeleteShort(s.p.UserUUID, s.p.UUID, m.UUID, as)
	})},
	{"rename clip", onClip(func(s *studio, c Clip, as Change) error {
		_, err := s.RenameClip(s.p.UserUUID, c.UUID, fmt.Sprint("take ", s.rand.IntN(100)), as)
		return err
	})},
	{"remove clip", onClip(func(s *studio, c Clip, as Change) error {
		if len(get(s.Clips(s.p.UserUUID, s.p.UUID))(s.t)) < 2 {
			return nil
		}
		return s.DeleteClip(s.p.UserUUID, c.UUID, as)
	})},
	{"restore clip", func(s *studio, as Change) error {
		list, _, err := s.Trash(s.p.UserUUID, s.p.UUID, Page{})
		item, ok := pick(s, list)
		if err != nil || !ok {
			return err
		}
		return s.RestoreTrashed(s.p.UserUUID, s.p.UUID, item.UUID, as)
	}},
	{"duplicate clip", onClip(func(s *studio, c Clip, as Change) error {
		_, err := s.DuplicateClip(s.p.UserUUID, c.UUID, as)
		return err
	})},
	{"order clips", func(s *studio, as Change) error {
		var order []string
		for _, c := range get(s.Clips(s.p.UserUUID, s.p.UUID))(s.t) {
			order = append(order, c.UUID)
		}
		s.rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		_, err := s.OrderClips(s.p.UserUUID, s.p.UUID, order, as)
		return err
	}},
	{"arrange clips", func(s *studio, as Change) error {
		var segments []ClipSegment
		for _, c := range get(s.Clips(s.p.UserUUID, s.p.UUID))(s.t) {
			at := 1 + s.rand.Int64N(*c.DurationMS-1)
			rest := media.Span{StartMS: at, EndMS: *c.DurationMS}
			segments = append(segments, ClipSegment{c.UUID, media.Span{EndMS: at}}, ClipSegment{c.UUID, rest})
		}
		if len(segments) > 8 {
			return nil
		}
		s.rand.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
		_, err := s.ArrangeClips(s.p.UserUUID, s.p.UUID, segments, as)
		return err
	}},
	{"replace text", func(s *studio, as Change) error {
		r, ok := pick(s, []TextReplacement{
			{Find: "cuber netties", Replace: "Kubernetes"}, {Find: "Kubernetes", Replace: "cuber netties"},
			{Find: "file", Replace: "long file"}, {Find: "netties file", Replace: "x", CaptionsOnly: true},
		})
		if !ok {
			return nil
		}
		_, _, _, err := s.ReplaceText(s.p.UserUUID, s.p.UUID, r, as)
		return err
	}},
	{"rename speaker", func(s *studio, as Change) error {
		names := []string{"A", "B", "C"}
		from, _ := pick(s, names)
		to, _ := pick(s, names)
		_, err := s.RenameSpeaker(s.p.UserUUID, s.p.UUID, from, to, as)
		return err
	}},
	{"use another run", func(s *studio, as Change) error {
		run, ok := pick(s, get(s.Runs(s.p.UserUUID, s.p.UUID))(s.t))
		if !ok {
			return nil
		}
		_, err := s.ActivateRun(s.p.UserUUID, s.p.UUID, run.UUID, as)
		return err
	}},
}

// try runs a command, which may refuse. It reports whether the history has another entry now, and
// returns the newest one.
func (s *studio) try(c command, as Change) (made bool, newest HistoryEntry) {
	s.t.Helper()
	before := get(s.History(s.p.UserUUID, s.p.UUID))(s.t)
	s.clock.Advance(time.Second)
	var refused *Error
	if err := c.do(s, as); err != nil && !errors.As(err, &refused) {
		s.t.Fatalf("%s: %v", c.name, err)
	}
	after := get(s.History(s.p.UserUUID, s.p.UUID))(s.t)
	if len(after) == 0 || after[0].Undone {
		return false, newest
	}
	done := slices.DeleteFunc(before, func(e HistoryEntry) bool { return e.Undone })
	return len(done) == 0 || done[0].UUID != after[0].UUID, after[0]
}

// saveDraft saves a draft with overrides of random edits.
func (s *studio) saveDraft(name string) {
	s.t.Helper()
	overrides := map[string]Override{}
	for _, e := range get(s.Edits(s.p.UserUUID, s.p.UUID, false))(s.t) {
		if s.rand.IntN(2) == 0 {
			overrides[e.UUID] = Override{Active: ptr(s.rand.IntN(2) == 0), StartMS: &e.StartMS, EndMS: &e.EndMS}
		}
	}
	get(s.CreateDraft(s.p.UserUUID, s.p.UUID, DraftChange{Name: ptr(name), EditOverrides: overrides}))(s.t)
}

// crash opens the database as a process leaves it that is killed: without a Close.
func (w *world) crash() {
	w.t.Helper()
	dir := w.t.TempDir()
	must(w.t, os.CopyFS(filepath.Join(dir, "media"), os.DirFS(filepath.Join(w.opts.Dir, "media"))))
	db := get(os.ReadFile(filepath.Join(w.opts.Dir, "roughcut.db")))(w.t)
	must(w.t, os.WriteFile(filepath.Join(dir, "roughcut.db"), db, 0o600))
	must(w.t, w.Close())
	w.opts.Dir = dir
	w.start()
}

// Random changes of two clients, undone and made again at random, give what a stack of states
// gives, also after a crash. Requests of a client that have one name are one entry.
func TestHistoryKeepsToAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &historyModel{studio: newStudio(open(t, ownerMode), seed), names: []string{""}}
			m.saveDraft("first")
			m.states = []string{m.shown(m.p)}
			for range 60 {
				switch n := m.rand.IntN(10); {
				case n == 0:
					m.crash()
				case n < 4 && m.at > 0:
					m.move(false)
				case n < 6 && m.at+1 < len(m.states):
					m.move(true)
				default:
					m.change()
				}
			}
			for m.at > 0 {
				m.move(false)
			}
			for m.at+1 < len(m.states) {
				m.move(true)
			}
			m.clean()
		})
	}
}

// historyModel is a stack of states of a project: entry n of the history follows state n.
type historyModel struct {
	*studio
	states, names []string
	at            int
	clients       [2]Change // the running change of each client
}

// change makes a random change as one of the clients.
func (m *historyModel) change() {
	m.t.Helper()
	c, as := commands[m.rand.IntN(len(commands))], &m.clients[m.rand.IntN(2)]
	if m.rand.IntN(2) == 0 {
		as.UUID = m.NewID()
	}
	made, newest := m.try(c, *as)
	got := m.shown(m.p)
	switch {
	case made:
		m.at++
		m.states, m.names = append(m.states[:m.at], got), append(m.names[:m.at], c.name)
	case got == m.states[m.at]:
	case m.at > 0 && newest.UUID == as.UUID && !newest.Undone:
		m.states, m.names = append(m.states[:m.at], got), append(m.names[:m.at], m.names[m.at]+", "+c.name)
	default:
		m.t.Fatalf("%s changed the project without an entry:\n%s", c.name, difference(m.states[m.at], got))
	}
}

// move undoes a change, or makes one again. A client that does not know the newest change cannot.
func (m *historyModel) move(redo bool) {
	m.t.Helper()
	m.clock.Advance(time.Second)
	_, err := m.Undo(m.p.UserUUID, m.p.UUID, m.NewID(), redo, Proposal{})
	wantCode(m.t, err, Conflict, "conflict")
	from := m.at
	if m.at--; redo {
		m.at += 2
	}
	m.undo(m.p, redo)
	if got := m.shown(m.p); got != m.states[m.at] {
		m.t.Fatalf("redo %v of %q, among %q, gave\n%s",
			redo, m.names[max(m.at, from)], m.names, difference(m.states[m.at], got))
	}
}

// difference returns the parts of two states that differ, around the first difference.
func difference(want, got string) (out string) {
	var a, b map[string]json.RawMessage
	_, _ = json.Unmarshal([]byte(want), &a), json.Unmarshal([]byte(got), &b)
	for name := range a {
		was, is := string(a[name]), string(b[name])
		if was == is {
			continue
		}
		i := 0
		for i < len(was) && i < len(is) && was[i] == is[i] {
			i++
		}
		around := func(s string) string { return s[max(0, i-300):min(len(s), i+300)] }
		out += name + ": want …" + around(was) + "…\n" + name + ": got …" + around(is) + "…\n"
	}
	return out
}
