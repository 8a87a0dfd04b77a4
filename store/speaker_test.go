package store

import (
	"strings"
	"testing"
	"time"

	"roughcut/media"
)

// spoken returns the words of a project with their speakers.
func (w *world) speakers(p Project) string {
	w.t.Helper()
	var list []string
	for _, word := range get(w.Project(p.UserUUID, p.UUID))(w.t).Transcript.Words {
		list = append(list, word.Speaker+":"+word.Text)
	}
	return strings.Join(list, " ")
}

// dialog returns the speech of a clip with alternating speakers, two words each.
func dialog(clip Clip) ClipTranscript {
	spoken := speech(clip.UUID, "hello", "there", "hi", "Ada", "bye", "now")
	for i := range spoken.Words {
		spoken.Words[i].Speaker = []string{"S0", "S1", "S0"}[i/2]
	}
	return spoken
}

func TestRenamedSpeakersComeBackWithUndo(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ann"))
	first, second := w.ready(p, 60_000), w.ready(p, 60_000)
	w.analyzed(p, AnalysisResult{Language: "en", Transcripts: []ClipTranscript{dialog(first), dialog(second)}})
	const found = "S0:hello S0:there S1:hi S1:Ada S0:bye S0:now"
	if got := w.speakers(p); got != found+" "+found {
		t.Fatalf("the transcript is %s", got)
	}
	rename := func(speaker, name string, want int) {
		t.Helper()
		if n, err := w.RenameSpeaker(p.UserUUID, p.UUID, speaker, name); err != nil || n != want {
			t.Errorf("%s to %s: %d words, %v", speaker, name, n, err)
		}
	}
	undo := func(redo bool) {
		t.Helper()
		_, err := w.Undo(p.UserUUID, p.UUID, "", redo, Proposal{})
		must(t, err)
	}
	expect := func(want string) {
		t.Helper()
		if got := w.speakers(p); got != want+" "+want {
			t.Errorf("the transcript is %s, want %s twice", got, want)
		}
	}
	rename("S0", " Ada \n L. ", 8)
	expect("Ada L.:hello Ada L.:there S1:hi S1:Ada Ada L.:bye Ada L.:now")
	_, _, _, err := w.ReplaceText(p.UserUUID, p.UUID, TextReplacement{Find: "there hi", Replace: "you all hey"})
	must(t, err)
	expect("Ada L.:hello Ada L.:you Ada L.:all S1:hey S1:Ada Ada L.:bye Ada L.:now")
	rename("S1", "Ada L.", 4)
	expect("Ada L.:hello Ada L.:you Ada L.:all Ada L.:hey Ada L.:Ada Ada L.:bye Ada L.:now")
	for range 3 {
		undo(false)
	}
	expect(found)
	for range 2 {
		undo(true)
	}
	expect("Ada L.:hello Ada L.:you Ada L.:all S1:hey S1:Ada Ada L.:bye Ada L.:now")
	rename("S1", "S1", 4)
	for _, name := range []string{"", " \n", strings.Repeat("x", 101)} {
		if _, err := w.RenameSpeaker(p.UserUUID, p.UUID, "S1", name); !IsKind(err, Unprocessable) {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	for _, speaker := range []string{"S0", ""} {
		if _, err := w.RenameSpeaker(p.UserUUID, p.UUID, speaker, "Bo"); !IsKind(err, NotFound) {
			t.Errorf("the speaker %q: %v", speaker, err)
		}
	}
	if _, err := w.RenameSpeaker(w.user("bob").UUID, p.UUID, "S1", "Bo"); !IsKind(err, Forbidden) {
		t.Errorf("another user: %v", err)
	}
	must(t, w.DeleteClip(p.UserUUID, first.UUID))
	undo(false)
	undo(false)
}

// A new analysis of the same imported transcript keeps the names; another transcript has its own.
func TestSpeakersKeepTheirNamesInTheNextAnalysis(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ann"))
	clip := w.ready(p, 60_000)
	given := func() {
		w.clock.Advance(time.Minute)
		_, err := w.ImportTranscript(p.UserUUID, clip.UUID, "talk.json", media.ImportedTranscript{})
		must(t, err)
		w.clock.Advance(time.Minute)
	}
	analyzed := func() { w.analyzed(p, AnalysisResult{Language: "en", Transcripts: []ClipTranscript{dialog(clip)}}) }
	given()
	analyzed()
	for _, names := range [][2]string{{"S0", "Bo"}, {"Bo", "Ada"}} {
		if _, err := w.RenameSpeaker(p.UserUUID, p.UUID, names[0], names[1]); err != nil {
			t.Fatal(err)
		}
	}
	analyzed()
	analyzed()
	if got := w.speakers(p); got != "Ada:hello Ada:there S1:hi S1:Ada Ada:bye Ada:now" {
		t.Errorf("another analysis has %s", got)
	}
	given()
	analyzed()
	if got := w.speakers(p); got != "S0:hello S0:there S1:hi S1:Ada S0:bye S0:now" {
		t.Errorf("another transcript has %s", got)
	}
}

func TestSearchFindsSpeakers(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ann"))
	clip := w.ready(p, 60_000)
	w.analyzed(p, AnalysisResult{Language: "en", Transcripts: []ClipTranscript{dialog(clip)}})
	if _, err := w.RenameSpeaker(p.UserUUID, p.UUID, "S0", "Grace"); err != nil {
		t.Fatal(err)
	}
	w.settled()
	for q, want := range map[string]SearchHit{
		"there": {Fragment: "Grace: hello <mark>there</mark> S1: hi Ada Grace: bye now", StartMS: 500, EndMS: 900},
		"grace there": {
			Fragment: "<mark>Grace</mark>: hello <mark>there</mark> S1: hi Ada <mark>Grace</mark>: bye now",
			EndMS:    2400,
		},
	} {
		hits, _, err := w.Search(p.UserUUID, q, "", Page{})
		if err != nil || len(hits) != 1 || hits[0].Fragment != want.Fragment || hits[0].Speaker != "Grace" ||
			hits[0].StartMS != want.StartMS || hits[0].EndMS != want.EndMS {
			t.Errorf("%s: %+v, %v", q, hits, err)
		}
	}
}
