package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// bucketsNaming returns the buckets with a key or value that contains one of the texts.
func (w *world) bucketsNaming(texts ...string) []string {
	w.t.Helper()
	var found []string
	must(w.t, w.db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				for _, text := range texts {
					if bytes.Contains(k, []byte(text)) || bytes.Contains(v, []byte(text)) {
						if !slices.Contains(found, string(name)) {
							found = append(found, string(name))
						}
					}
				}
				return nil
			})
		})
	}))
	return found
}

// full gives the user of a scene a row in every table that can belong to a user, during the running
// analysis of the scene. It returns the ids of all rows.
func (s *scene) full() []string {
	s.t.Helper()
	user, project := s.user.UUID, s.clip.ProjectUUID
	get(s.StartRun(s.claim()))(s.t)
	again, gone := s.project(s.user), s.project(s.user)
	line := ClipCaption{TimedText: media.TimedText{Text: "hello", EndMS: 400}, ClipUUID: s.ready(again, 10_000).UUID}
	spoken := s.analyzed(again, AnalysisResult{
		CaptionLines: []ClipCaption{line},
		Evidence:     []byte("evidence"),
		TakeGroups:   []DetectedTakeGroup{takesOf(line.ClipUUID, "group", 1, ms{0, 1_000}, ms{2_000, 3_000})},
	})
	_, _, _, err := s.ReplaceText(user, again.UUID, TextReplacement{Find: "hello", Replace: "hi"})
	must(s.t, err)
	s.ready(gone, 10_000)
	past := s.analyzed(gone, AnalysisResult{}) // its reservation outlives the project
	must(s.t, s.DeleteProject(user, gone.UUID))
	get(s.CreateEdit(user, project, manual(0, 10)))(s.t)
	get(s.CreateDraft(user, project, DraftChange{Name: ptr("d")}))(s.t)
	queued := get(s.CreateExport(user, project, NewExport{}))(s.t)
	s.uploaded(again, 100)
	must(
		s.t,
		get(s.ResumeUpload(get(s.PresignClip(user, again.UUID, "part.mp4", "video/mp4", 10))(s.t).ClipFileID))(
			s.t,
		).Abort(),
	)
	s.importing(again, 100)
	get(s.LinkClip(user, again.UUID, s.recording("talk.mp4", 1000)))(s.t)
	s.change(func(tx *txn) error {
		return tx.appendEvent(project, "CLIP_READY", map[string]string{})
	})
	must(s.t, s.CreateSession(account.Session{Hash: "one", UserUUID: user, ExpiresAt: s.Now().Add(time.Hour)}, 0))
	get(s.CreateAccessToken(account.AccessToken{UserUUID: user, Name: "t", Hash: "hash"}, 0))(s.t)
	s.change(func(tx *txn) error { // only admins can invite, and this one is no longer an admin
		setAdmin := func(is bool) error {
			return tx.patch("users", user, func(row map[string]any) { row["IsAdmin"] = is })
		}
		must(s.t, setAdmin(true))
		_, err := tx.registry().CreateInvitation(account.Invitation{
			UUID:      s.NewID(),
			InvitedBy: user,
			Email:     "friend@example.org",
			ExpiresAt: s.Now().Add(time.Hour),
		})
		return errors.Join(err, setAdmin(false))
	})
	get(s.Presets().Create(user, Preset{PresetHead: PresetHead{Name: "p"}, CensorshipMode: "none"}))(s.t)
	get(
		s.PreviewPresets().Create(
			user,
			PreviewPreset{
				PresetHead:      PresetHead{Name: "p"},
				Format:          "1:1",
				Background:      "#000000",
				CaptionStyle:    "bold",
				CaptionSize:     8,
				CaptionPosition: "top",
				CaptionColor:    "#ffffff",
				CaptionLength:   "short",
			},
		),
	)(s.t)
	get(s.PutWordList(user, "en", WordListChange{Censored: &WordChoice{Added: []string{"heck"}}}))(s.t)
	must(s.t, s.BeginResponse(user, "key", []byte("request")))
	get(s.ChangeAccountSettings(user, map[string]json.RawMessage{"theme": []byte(`"dark"`)}))(s.t)
	group := get(s.CreateGroup(user, Group{Name: "g", IsDefault: true}))(s.t)
	asset := s.asset(s.user, AssetResult{Asset: sound(5_000)})
	get(s.PlaceAsset(user, project, manual(0, 10), PlacementChange{AssetFileID: &asset.AssetFileID}))(s.t)
	shown := s.asset(s.user, AssetResult{Asset: movie(5_000)}) // a running export keeps the file
	get(s.PlaceAsset(user, project, manual(0, 10), PlacementChange{AssetFileID: &shown.AssetFileID}))(s.t)
	get(s.CreateMarker(user, project, Marker{Kind: MarkerChapter, Name: "Introduction"}))(s.t)
	get(s.CreateShort(user, project, Short{Name: "Introduction", EndMS: 10}))(s.t)
	get(s.CreateExport(user, project, NewExport{}))(s.t)
	must(s.t, s.DeleteAsset(user, shown.UUID))
	waiting := get(s.PresignAsset(user, NewAsset{FileName: "b.png", ContentType: "image/png", SizeBytes: 1}))(s.t)
	s.subscribe(s.user, 1)
	must(s.t, s.AddFeedback(billing.Feedback{UserUUID: user, Reason: "other", Outcome: billing.FeedbackKept}))
	return []string{
		group.UUID,
		asset.UUID,
		asset.AssetFileID,
		waiting.UUID,
		user,
		s.user.Email,
		project,
		s.clip.UUID,
		s.clip.ClipFileID,
		s.run.UUID,
		s.busy.UUID,
		s.export.UUID,
		queued.UUID,
		again.UUID,
		spoken.UUID,
		past.UUID,
	}
}

func TestDeleteUserLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ids := s.full()
	stranger := s.world.user("eve")
	s.ready(s.project(stranger), 1_000)
	before := s.bucketsNaming(ids...)
	// expire later, stay on purpose, or last as long as the deletion
	kept := []string{
		"lockouts", "windows", "tokens", "trials", "mails", "oauth_flows", "deletions", "duplications",
	}
	for _, tab := range tables() {
		name := tab.Buckets()[0]
		if !slices.Contains(before, name) && !slices.Contains(kept, name) {
			t.Errorf("the test adds no row of the user to %s", name)
		}
	}
	wantCode(t, s.DeleteUser(s.user.UUID, "former hash"), Invalid, "wrong_password")
	must(t, s.DeleteUser(s.user.UUID, "hash"))
	s.settled()
	left := slices.DeleteFunc(s.bucketsNaming(ids...), func(name string) bool {
		// the test's verification tokens contain user ids; the index empties its changes a moment
		// later
		return name == "tokens" || name == bucketChanges
	})
	if len(left) != 0 {
		t.Errorf("data is left in %v", left)
	}
	// original, proxy, sprite, speech, peaks, keyframes and motion of the stranger
	if left := s.filesUnder("media"); len(left) != 7 {
		t.Errorf("files are left: %v", left)
	}
	if _, ok, err := s.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("a job is left: %v", err)
	}
	get(s.Billing(stranger.UUID))(t)
	s.clean()
	s.reopen()
	s.clean()
}

func TestTrialOutlivesItsAccount(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(
		t,
		w.ConfirmEmailChange(
			account.EmailChange{
				TokenID:  "t",
				Expires:  w.Now().Add(time.Hour),
				UserUUID: u.UUID,
				Epoch:    u.Epoch,
				OldEmail: u.Email,
				NewEmail: "new@example.org",
			},
		),
	)
	must(t, w.DeleteUser(u.UUID, "hash"))
	for _, email := range []string{"ada@example.org", "NEW@example.org"} {
		again := get(w.CreateUser(account.User{Username: email[:3], Email: email}))(t)
		must(t, w.VerifyEmail("v"+again.UUID, again.UUID, w.Now().Add(time.Hour)))
		if b := get(w.Billing(again.UUID))(t); b.Tier != billing.Free || !b.TrialUsed {
			t.Errorf("%s had another trial: %+v", email, b)
		}
		if again.IsAdmin {
			t.Errorf("%s became an admin after all others left", email)
		}
	}
	w.clean()
}

func TestDeletedOwnerIsCreatedAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	newOwner := func() account.User { return account.User{Username: "owner", Email: "owner@localhost"} }
	first := get(w.Owner(newOwner))(t)
	must(t, w.DeleteUser(first.UUID, ""))
	if second := get(w.Owner(newOwner))(t); second.UUID == first.UUID {
		t.Error("the owner still exists")
	}
}
