package store

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
)

// capped is a list with a cap, in a project with one analyzed clip.
type capped struct {
	name   string // the operation with x-cap in the contract, or another name
	most   int
	seed   func(t *txn, id string, seq uint64) error // adds one row; may refuse one past the cap
	create func() error                              // one more, through the store
	list   func() (int, error)
}

// cappedLists returns every list that the contract returns in one page and that people fill, and
// the lists with pages whose number is capped.
func cappedLists(t *testing.T, w *world, p Project, c Clip) []capped {
	user := p.UserUUID
	group := get(w.CreateGroup(user, Group{Name: "full"}))(t)
	asset := w.named(account.User{UUID: user}, "a.mp3")
	active := get(w.Project(user, p.UUID))(t).ActiveRunUUID
	return []capped{
		{"listDrafts", maxDrafts, func(t *txn, id string, seq uint64) error {
			return drafts.Put(t, &draftRow{Seq: seq, Draft: Draft{UUID: id, ProjectUUID: p.UUID}})
		}, func() error { _, err := w.CreateDraft(user, p.UUID, DraftChange{Name: ptr("d")}); return err },
			func() (int, error) { list, err := w.Drafts(user, p.UUID); return len(list), err }},
		{"listMarkers", maxMarkers, func(t *txn, id string, _ uint64) error {
			return markers.Put(t, &markerRow{At: anchor{c.UUID, 5}, Marker: Marker{UUID: id, ProjectUUID: p.UUID}})
		}, func() error { _, err := w.CreateMarker(user, p.UUID, Marker{Kind: MarkerChapter}); return err },
			func() (int, error) { list, err := w.Markers(user, p.UUID); return len(list), err }},
		{"listShorts", maxShorts, func(t *txn, id string, _ uint64) error {
			part := anchoredSpan{anchor{c.UUID, 5}, anchor{c.UUID, 6}}
			return shorts.Put(t, &shortRow{Parts: []anchoredSpan{part}, Short: Short{UUID: id, ProjectUUID: p.UUID}})
		}, func() error { _, err := w.CreateShort(user, p.UUID, Short{Name: "s", EndMS: 5}); return err },
			func() (int, error) { list, err := w.Shorts(user, p.UUID); return len(list), err }},
		{"listClips", maxClips, func(t *txn, id string, seq uint64) error {
			return clips.Put(t, &clipRow{Clip: Clip{
				UUID: id, ProjectUUID: p.UUID, UserUUID: user, Position: int(seq), Status: ClipFailed,
			}})
		}, func() error { _, err := w.PresignClip(user, p.UUID, "a.mp4", "video/mp4", 10); return err },
			func() (int, error) { list, err := w.Clips(user, p.UUID); return len(list), err }},
		{"duplicates", maxClips, func(*txn, string, uint64) error { return nil },
			func() error { _, err := w.DuplicateClip(user, c.UUID); return err },
			func() (int, error) { return maxClips, nil }},
		{"listEdits", maxManualEdits, func(t *txn, id string, _ uint64) error {
			return edits.Put(t, &editRow{
				Start: anchor{c.UUID, 1}, End: anchor{c.UUID, 2},
				Edit: Edit{UUID: id, ProjectUUID: p.UUID, Type: EditManual},
			})
		}, func() error { _, err := w.CreateEdit(user, p.UUID, manual(1, 2)); return err },
			func() (int, error) { list, err := w.Edits(user, p.UUID, false); return len(list), err }},
		{"listRuns", maxRuns, func(t *txn, id string, seq uint64) error {
			return runs.Put(t, &runRow{Seq: seq, Run: Run{UUID: id, ProjectUUID: p.UUID, Status: StatusFailed}})
		}, func() error {
			_, err := w.StartAnalysis(user, p.UUID, AnalysisSettings{})
			return err
		}, func() (int, error) { list, err := w.Runs(user, p.UUID); return len(list), err }},
		{"captions", MaxCaptionLines, func(t *txn, id string, _ uint64) error {
			return captions.Put(t, &captionRow{
				RunUUID: active, ClipUUID: c.UUID, Span: media.Span{EndMS: 400},
				CaptionLine: CaptionLine{UUID: id, ProjectUUID: p.UUID, Text: "one two"},
			})
		}, func() error {
			_, err := w.CreateCaptionLine(user, p.UUID, "x", media.Span{EndMS: 100})
			return err
		}, func() (int, error) { _, n, err := w.CaptionLines(user, p.UUID, Page{}); return n, err }},
		{"listPresets", MaxPresets, func(t *txn, id string, seq uint64) error {
			return presets.Put(t, &Preset{PresetHead: PresetHead{UUID: id, UserUUID: user, Seq: seq}})
		}, func() error {
			_, err := w.Presets().Create(user, Preset{PresetHead: PresetHead{Name: "p"}, CensorshipMode: "none"})
			return err
		},
			func() (int, error) { list, err := w.Presets().List(user); return len(list), err }},
		{"listPreviewPresets", maxPreviewPresets, func(t *txn, id string, seq uint64) error {
			row := &PreviewPreset{PresetHead: PresetHead{UUID: id, UserUUID: user, Seq: seq}}
			return previewPresets.Put(t, row)
		}, func() error {
			_, err := w.PreviewPresets().Create(user, PreviewPreset{
				PresetHead: PresetHead{
					Name: "p",
				},
				Format:          "16:9",
				Background:      "#000000",
				CaptionStyle:    media.CaptionStyleNames()[0],
				CaptionSize:     50,
				CaptionPosition: "top",
				CaptionColor:    "#000000",
				CaptionLength:   "short",
			})
			return err
		}, func() (int, error) { list, err := w.PreviewPresets().List(user); return len(list), err }},
		{"listWordLists", maxListLanguages, func(t *txn, _ string, seq uint64) error {
			language := string([]byte{'q', 'a' + byte(seq/26%26), 'a' + byte(seq%26)})
			return wordLists.Put(t, &WordList{UserUUID: user, Language: language, Vocabulary: []string{"Ada"}})
		}, func() error {
			_, err := w.PutWordList(user, "en", WordListChange{Vocabulary: &[]string{"Ada"}})
			return err
		}, func() (int, error) { list, err := w.WordLists(user); return len(list), err }},
		{"listAssetGroupsOfAsset", maxGroups, func(t *txn, id string, seq uint64) error {
			return groups.Put(t, &groupRow{Seq: seq, Group: Group{UUID: id, UserUUID: user}})
		}, func() error { _, err := w.CreateGroup(user, Group{Name: "g"}); return err },
			func() (int, error) { _, n, err := w.Groups(user, Page{Size: 1}); return n, err }},
		{"listTokens", account.MaxAccessTokens, func(t *txn, id string, _ uint64) error {
			_, err := t.registry().AddAccessToken(account.AccessToken{UserUUID: user, Hash: id})
			return err
		}, func() error {
			_, err := w.CreateAccessToken(account.AccessToken{UserUUID: user, Name: "t", Hash: "hash"}, 0)
			return err
		}, func() (int, error) { list, err := w.AccessTokens(user); return len(list), err }},
		{"listInvitations", account.MaxInvitations, func(t *txn, id string, _ uint64) error {
			_, err := t.registry().CreateInvitation(
				account.Invitation{UUID: id, InvitedBy: user, ExpiresAt: t.Now.Add(time.Hour)},
			)
			return err
		}, func() error {
			_, err := w.CreateInvitation(
				account.Invitation{UUID: "new", InvitedBy: user, ExpiresAt: w.Now().Add(time.Hour)},
			)
			return err
		}, func() (int, error) { list, err := w.Invitations(); return len(list), err }},
		{"members of a group", maxMembers, func(t *txn, id string, seq uint64) error {
			return memberships.Put(t, &membership{GroupUUID: group.UUID, AssetUUID: id, Seq: seq})
		}, func() error { _, err := w.AddToGroups(user, asset.UUID, group.UUID); return err },
			func() (int, error) {
				list, _, err := w.Groups(user, Page{})
				for _, g := range list {
					if g.UUID == group.UUID {
						return g.AssetCount, err
					}
				}
				return 0, err
			}},
	}
}

// A list with more than its cap keeps all, and refuses one more with the number of the cap. Each
// cap of the contract is one of these.
func TestCaps(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	c := w.ready(p, 10_000)
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "one")}})
	contract := get(os.ReadFile(filepath.Join("..", "server", "openapi.yaml")))(t)
	named := map[string]string{}
	for _, m := range regexp.MustCompile(`operationId: (\w+)\n +x-cap: {most: (\d+),`).FindAllSubmatch(contract, -1) {
		named[string(m[1])] = string(m[2])
	}
	for _, l := range cappedLists(t, w, p, c) {
		if most, ok := named[l.name]; ok && most != fmt.Sprint(l.most) {
			t.Errorf("%s has the cap %d, in the contract %s", l.name, l.most, most)
		}
		delete(named, l.name)
		must(t, w.update(func(tx *txn) error {
			for i := range l.most + 3 {
				err := l.seed(tx, fmt.Sprintf("%s-%d", l.name, i), uint64(i+10))
				if err != nil && (i < l.most || !IsKind(err, Conflict)) {
					return err
				}
			}
			return nil
		}))
		before := get(l.list())(t)
		err := l.create()
		if (!IsKind(err, Unprocessable) && !IsKind(err, Conflict)) ||
			!strings.Contains(err.Error(), fmt.Sprint(l.most)) {
			t.Errorf("%s: one more than %d answers %v", l.name, l.most, err)
		}
		if after := get(l.list())(t); after != before || after < l.most {
			t.Errorf("%s: the list has %d rows, before %d", l.name, after, before)
		}
	}
	for name := range named {
		t.Errorf("no test exceeds the cap of %s", name)
	}
}

// Duplicates of a clip cannot multiply its edits without end, and what an analysis finds is never
// refused.
func TestCapOfCopiedEdits(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	c := w.ready(p, 100_000)
	found := AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "one")}}
	for i := range int64(maxManualEdits + 500) {
		found.Edits = append(found.Edits, silence(c.UUID, i*9, i*9+5))
	}
	w.analyzed(p, found)
	made, err := 0, error(nil)
	for ; err == nil; made++ {
		_, err = w.DuplicateClip(p.UserUUID, c.UUID)
	}
	wantCode(t, err, Unprocessable, "unprocessable")
	if n := len(get(w.Edits(p.UserUUID, p.UUID, false))(t)); made != 4 || n > maxCopiedEdits || n < len(found.Edits) {
		t.Errorf("%d duplicates and %d edits", made-1, n)
	}
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(1, 2)))(t)
}

// A chain of duplicates ends, so that no clip has an unbounded list of those before it.
func TestCapOfDuplicatesOfDuplicates(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	c := w.ready(p, 1_000)
	must(t, w.update(func(tx *txn) error {
		row := get(clips.Get(tx, c.UUID))(t)
		row.CopyOf = make([]string, maxSharers)
		return clips.Put(tx, row)
	}))
	_, err := w.DuplicateClip(p.UserUUID, c.UUID)
	wantCode(t, err, Unprocessable, "unprocessable")
}

// The word lists of a user are bounded in bytes, and can always become smaller.
func TestBoundOfWordLists(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	words := func(first string, n int) *WordChoice {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("%s%0*d", first, 60, i)
		}
		return &WordChoice{Added: list}
	}
	var err error
	n := 0
	for ; err == nil && n < maxListLanguages; n++ {
		language := string([]byte{'q', 'a' + byte(n/26), 'a' + byte(n%26)})
		_, err = w.PutWordList(u.UUID, language, WordListChange{
			Censored: words("a", MaxListedWords), Fillers: words("b", MaxListedWords),
		})
	}
	wantCode(t, err, Unprocessable, "unprocessable")
	if n < 10 || !strings.Contains(err.Error(), "2048 KiB") {
		t.Errorf("list %d is refused: %v", n, err)
	}
	get(w.PutWordList(u.UUID, "qaa", WordListChange{Censored: words("a", 10)}))(t)
}

// Requests with one name extend an entry of the history up to keptVersions.
func TestBoundOfHistoryEntries(t *testing.T) {
	t.Parallel()
	w, p, _ := drafted(t, 0)
	as := Change{UUID: w.NewID(), Label: "many"}
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(1, 2), as))(t)
	must(t, w.update(func(tx *txn) error {
		row := get(history.Get(tx, as.UUID))(t)
		row.Versions = keptVersions
		return history.Put(tx, row)
	}))
	get(w.CreateEdit(p.UserUUID, p.UUID, manual(1, 2), as))(t)
	list := get(w.History(p.UserUUID, p.UUID))(t)
	if len(list) == 0 || list[0].UUID == as.UUID || list[0].Label != "many" {
		t.Errorf("history %+v", list)
	}
}

// The trash answers in pages and is emptied in transactions of purgedAtOnce items.
func TestTrashInPages(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	const n = purgedAtOnce + 3
	must(t, w.update(func(tx *txn) error {
		for i := range n {
			at := tx.Now.Add(time.Duration(-i) * time.Second)
			row := &exportRow{TrashedAt: &at, Export: Export{
				UUID: fmt.Sprintf("export-%d", i), ProjectUUID: p.UUID, UserUUID: p.UserUUID, Status: StatusFailed,
			}}
			if err := exports.Put(tx, row); err != nil {
				return err
			}
		}
		return nil
	}))
	list, total, err := w.Trash(p.UserUUID, p.UUID, Page{Number: 2, Size: 10})
	must(t, err)
	if total != n || len(list) != 10 || list[0].UUID != "export-10" {
		t.Errorf("%d of %d: %+v", len(list), total, list)
	}
	must(t, w.EmptyTrash(p.UserUUID, p.UUID))
	if _, total, err := w.Trash(p.UserUUID, p.UUID, Page{}); err != nil || total != 0 {
		t.Errorf("%d items are left, %v", total, err)
	}
}

// An analysis that has ended lists the export that it asked for without its settings.
func TestRunsListNoOldSettings(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	w.ready(p, 1_000)
	run := get(w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{}))(t)
	wanted := &QueuedExport{Name: "x", Settings: []byte(`{"resolution":"720p"}`)}
	get(w.ExportWhenDone(p.UserUUID, p.UUID, run.UUID, wanted))(t)
	for _, want := range []string{string(wanted.Settings), ""} {
		got := get(w.Runs(p.UserUUID, p.UUID))(t)[0].ExportWhenDone
		if got == nil || got.Name != "x" || string(got.Settings) != want {
			t.Errorf("the list has %+v, want the settings %q", got, want)
		}
		_, _ = w.CancelRun(p.UserUUID, p.UUID, run.UUID)
	}
}
