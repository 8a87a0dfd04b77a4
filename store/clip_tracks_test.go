package store

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
)

// screenTracks are the audio tracks of a screen recording: the second one is heard, and the third
// one does not decode.
func screenTracks() []media.AudioTrack {
	return []media.AudioTrack{
		{Stream: 1, Channels: 2, SampleRate: 48000, Codec: "aac", Title: "Desktop", Speech: ptr(false)},
		{Stream: 2, Channels: 1, SampleRate: 44100, Codec: "aac", Title: "Microphone", Speech: ptr(true), Played: true},
		{Stream: 3, Codec: "ac3", Undecodable: true},
	}
}

// screen uploads a screen recording and finishes its job.
func (w *world) screen(p Project) Clip {
	w.t.Helper()
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(w.t)
	r := w.ingested(10_000)
	r.Ingested.Info.AudioTracks = screenTracks()
	r.Ingested.Info.Audio = &media.AudioInfo{Codec: "aac", SampleRate: 44100, Channels: 1}
	return get(w.FinishClip(w.claim(), r))(w.t)
}

// heard returns the tracks of a clip that are heard.
func (w *world) heard(c Clip) []int {
	w.t.Helper()
	return get(w.Clip(c.UserUUID, c.UUID))(w.t).Info.HeardTracks()
}

// wantHeard checks the tracks of clips that are heard.
func (w *world) wantHeard(want []int, list ...Clip) {
	w.t.Helper()
	for _, c := range list {
		if heard := w.heard(c); !slices.Equal(heard, want) {
			w.t.Errorf("%v are heard, want %v", heard, want)
		}
	}
}

// A choice of audio tracks is stored, makes the audio of the clip again, and is undone and redone.
func TestChooseTracks(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.screen(p)
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "hello")}})
	covers := func(want bool) {
		t.Helper()
		if got := get(w.Runs(p.UserUUID, p.UUID))(t)[0].CoversClips; got != want {
			t.Errorf("the run covers the clip: %v, want %v", got, want)
		}
	}
	remade := func(want ...int) {
		t.Helper()
		j := w.claim()
		in := get(w.ClipInput(j))(t)
		if j.Kind != JobClip || !in.Clip.TracksLeft || !slices.Equal(in.Clip.Info.HeardTracks(), want) {
			t.Fatalf("the job %+v has %+v", j, in.Clip.Info.AudioTracks)
		}
		r := w.ingested(10_040)
		r.ProxyTemp, r.SpriteTemp, r.Ingested.Sprite, r.Ingested.Motion = "", "", media.Sprite{}, nil
		got := get(w.FinishClip(j, r))(t)
		if got.TracksLeft || got.SpriteKey() == "" || *got.DurationMS != 10_000 || !slices.Equal(w.heard(c), want) {
			t.Errorf("afterwards, the clip is %+v", got)
		}
		if !gone(w.FilePath(got.ProxyKey())) {
			t.Error("the former proxy is still there")
		}
		w.clean()
	}
	covers(true)
	got := get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0, 1}))(t)
	if a := got.Info.Audio; a.Channels != 2 || a.SampleRate != 48000 || !got.TracksLeft {
		t.Errorf("the mix is %+v", a)
	}
	covers(false)
	remade(0, 1)
	w.undo(p, false)
	covers(true)
	remade(1)
	w.undo(p, true)
	covers(false)
	remade(0, 1)

	get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0, 1}))(t) // no change
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("the same choice queues a job: %v", err)
	}
	for _, wrong := range [][]int{nil, {3}, {-1}, {0, 2}} {
		_, err := w.ChooseTracks(p.UserUUID, c.UUID, wrong)
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	w.wantHeard([]int{0, 1}, c)
}

// An analysis waits for the audio of a new choice. The job of an older choice is stale, and a
// failed one is said and tried again.
func TestAnalysisWaitsForTracks(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.screen(p)
	get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0}))(t)
	stale := w.claim()
	get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0, 1}))(t)
	if _, err := w.FinishClip(stale, w.ingested(10_000)); !errors.Is(err, ErrStaleJob) {
		t.Errorf("the job of the older choice: %v", err)
	}
	run := get(w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{CutOptions: media.DefaultCutOptions()}))(t)
	if !run.WaitsForClips {
		t.Error("the analysis does not wait")
	}
	must(t, w.FailClip(w.claim(), "It broke."))
	if j := w.claim(); j.Kind != JobAnalysis {
		t.Errorf("the next job is %+v", j)
	}
	failed := get(w.Clip(p.UserUUID, c.UUID))(t)
	if failed.Status != ClipReady || failed.TracksLeft || failed.TracksError != "It broke." {
		t.Errorf("the clip is %+v", failed)
	}
	_, err := w.ChooseTracks(p.UserUUID, c.UUID, []int{1})
	wantCode(t, err, Conflict, "conflict") // while the analysis runs
	w.clean()
}

// Duplicates have the choice of their recording. The job goes on for a duplicate when the clip goes
// to the trash, and restarts keep the choice.
func TestDuplicatesShareTheirTracks(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.screen(p)
	made := get(w.DuplicateClip(p.UserUUID, c.UUID))(t)
	get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0}))(t)
	w.wantHeard([]int{0}, c, made)
	must(t, w.DeleteClip(p.UserUUID, c.UUID))
	w.clean()
	if j := w.claim(); j.Subject != made.UUID {
		t.Errorf("the job is %+v", j)
	}
	w.reopen()
	w.clean()
	w.wantHeard([]int{0}, made)
	j := w.claim()
	if got := get(w.FinishClip(j, w.ingested(10_000)))(t); got.TracksLeft {
		t.Error("the job leaves the tracks")
	}
	must(t, w.RestoreTrashed(p.UserUUID, p.UUID, c.UUID))
	if got := get(w.Clip(p.UserUUID, c.UUID))(t); got.TracksLeft || !slices.Equal(got.Info.HeardTracks(), []int{0}) {
		t.Errorf("the restored clip is %+v", got)
	}
	w.clean()
}

// A constant-rate copy is made again with the chosen tracks.
func TestChooseTracksRemakesTheConstantRateCopy(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
	r := w.ingested(10_000)
	r.Ingested.Info.AudioTracks, r.Ingested.Info.Video.VariableRate = screenTracks(), true
	get(w.FinishClip(w.claim(), r))(t)
	_, _, err := w.MakeConstantRateCopy(p.UserUUID, c.UUID)
	must(t, err)
	must(t, w.FinishConstantRateCopy(w.claim(), w.temp(9), media.Info{}))
	old := w.ConstantRatePath(get(w.Clip(p.UserUUID, c.UUID))(t))
	get(w.ChooseTracks(p.UserUUID, c.UUID, []int{0}))(t)
	if !gone(old) {
		t.Error("the former copy is still there")
	}
	if kinds := []JobKind{w.claim().Kind, w.claim().Kind}; !slices.Contains(kinds, JobConstantRate) {
		t.Errorf("the jobs are %v", kinds)
	}
	w.clean()
}

// old makes a clip one that an earlier version has read.
func (w *world) old(c Clip, info media.Info) {
	w.t.Helper()
	must(w.t, w.update(func(t *txn) error {
		row, err := clips.Get(t, c.UUID)
		if err != nil {
			return err
		}
		row.Info, row.TracksKnown = info, false
		return t.putShared(row)
	}))
}

// A job finds out about the audio tracks of a clip of an earlier version when its project is
// opened. What the clip plays stays.
func TestFinishTracks(t *testing.T) {
	t.Parallel()
	found := media.Info{AudioTracks: screenTracks(), Audio: &media.AudioInfo{
		Channels: 2, VoiceOn: media.VoiceLeft, VoiceGain: 1.4, Unheard: []int{1},
	}}
	listed := []media.AudioTrack{{Stream: 1, Channels: 2, Played: true}, {Stream: 2, Channels: 1}}
	stereo := &media.AudioInfo{Codec: "aac", Channels: 2}
	microphone := []media.AudioTrack{{Stream: 2, Played: true}}
	for name, c := range map[string]struct {
		before  media.Info
		found   media.Info
		heard   []int
		channel string
	}{
		"other track heard": {media.Info{AudioTracks: listed, Audio: stereo}, found, []int{0}, ""},
		"same track heard": {
			media.Info{AudioTracks: microphone, Audio: stereo}, found, []int{1}, media.VoiceLeft,
		},
		"no list":   {media.Info{Audio: stereo}, found, []int{1}, media.VoiceLeft},
		"no audio":  {media.Info{}, found, nil, ""},
		"one track": {media.Info{Audio: stereo}, media.Info{Audio: found.Audio}, nil, media.VoiceLeft},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			p := w.project(w.user("ada"))
			clip := w.screen(p)
			w.old(clip, c.before)
			list := get(w.Clips(p.UserUUID, p.UUID))(t)
			must(t, w.QueueTracks(list))
			must(t, w.QueueTracks(list))
			must(t, w.FinishTracks(w.claim(), c.found))
			got := get(w.Clip(p.UserUUID, clip.UUID))(t)
			if got.NeedsTracks() || got.TracksLeft || !slices.Equal(got.Info.HeardTracks(), c.heard) {
				t.Errorf("the tracks are %+v", got.Info.AudioTracks)
			}
			if a := got.Info.Audio; (a == nil) != (c.before.Audio == nil) || (a != nil && a.VoiceOn != c.channel) {
				t.Errorf("the audio is %+v", a)
			}
			if tracks := got.Info.AudioTracks; len(tracks) > 0 && (tracks[1].Speech == nil || !*tracks[1].Speech) {
				t.Errorf("the speech of the microphone is unknown: %+v", tracks)
			}
			must(t, w.QueueTracks(get(w.Clips(p.UserUUID, p.UUID))(t)))
			if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
				t.Errorf("another job: %v", err)
			}
		})
	}
}

// A job that cannot read a clip of an earlier version is not tried again.
func TestTracksThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.screen(p)
	w.old(clip, media.Info{})
	must(t, w.QueueTracks(get(w.Clips(p.UserUUID, p.UUID))(t)))
	must(t, w.FailClip(w.claim(), "It broke."))
	got := get(w.Clip(p.UserUUID, clip.UUID))(t)
	if got.Status != ClipReady || got.NeedsTracks() || got.TracksError != "" {
		t.Errorf("the clip is %+v", got)
	}
}

// A new choice tells about its channels and about speech.
func TestChosenTracksAreKnown(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.screen(p)
	w.old(clip, media.Info{Audio: &media.AudioInfo{Channels: 1}, AudioTracks: []media.AudioTrack{
		{Stream: 1, Channels: 2}, {Stream: 2, Channels: 1, Played: true},
	}})
	get(w.ChooseTracks(p.UserUUID, clip.UUID, []int{0}))(t)
	r := w.ingested(10_000)
	r.Ingested.Info.AudioTracks = screenTracks()
	r.Ingested.Info.AudioTracks[0].Played, r.Ingested.Info.AudioTracks[1].Played = true, false
	r.Ingested.Info.Audio.VoiceOn, r.Ingested.Info.Audio.Unheard = media.VoiceRight, []int{0}
	got := get(w.FinishClip(w.claim(), r))(t)
	a, tracks := got.Info.Audio, got.Info.AudioTracks
	if got.NeedsTracks() || a.VoiceOn != media.VoiceRight || len(a.Unheard) != 1 || tracks[1].Speech == nil ||
		!slices.Equal(got.Info.HeardTracks(), []int{0}) {
		t.Errorf("the clip has %+v of %+v", a, tracks)
	}
}

// Exports of drafts, and the clips and duplicates of a restored backup, have the chosen tracks.
func TestChosenTracksTravelAlong(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.screen(p)
	get(w.DuplicateClip(p.UserUUID, clip.UUID))(t)
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(clip.UUID, "hello")}})
	draft := get(w.CreateDraft(p.UserUUID, p.UUID, DraftChange{Name: ptr("d")}))(t)
	get(w.ChooseTracks(p.UserUUID, clip.UUID, []int{0, 1}))(t)
	get(w.FinishClip(w.claim(), w.ingested(10_000)))(t)
	want := []int{0, 1}
	get(w.CreateExport(p.UserUUID, p.UUID, NewExport{DraftID: &draft.UUID}))(t)
	job := w.claim()
	for _, c := range get(w.ExportInput(job))(t).Clips {
		if heard := c.Info.HeardTracks(); !slices.Equal(heard, want) {
			t.Errorf("the export of the draft hears %v", heard)
		}
	}

	must(t, w.FailExport(job, "It broke."))
	dir := filepath.Join(t.TempDir(), "data")
	get(restoreInto(dir, w.backup(false)))(t)
	w = open(t, func(o *Options) { o.Dir = dir })
	list := get(w.Clips(p.UserUUID, p.UUID))(t)
	w.wantHeard(want, list...)
	if len(list) != 2 || list[0].NeedsTracks() {
		t.Errorf("the backup has %d clips", len(list))
	}
	w.undo(p, false)
	w.wantHeard([]int{1}, list...)
	w.clean()
}
