package store

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// lose removes a stored file behind the back of the store.
func (w *world) lose(key string) {
	w.t.Helper()
	must(w.t, os.Remove(w.FilePath(key)))
}

// A derived file that was lost is made again from the original: on its next use, or at the start.
func TestLostFilesOfAClipAreMadeAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	peaks := get(w.Peaks(u.UUID, c.UUID))(t)

	w.lose(clipKey(c.ClipFileID, filePeaks))
	for range 2 {
		_, err := w.Peaks(u.UUID, c.UUID)
		wantCode(t, err, Conflict, "conflict")
		if !strings.Contains(err.Error(), "talk.mp4") {
			t.Errorf("the error does not name the recording: %v", err)
		}
	}
	again := w.ingest(60_040) // another version of the decoder
	if again.Status != ClipReady || *again.DurationMS != 60_000 {
		t.Errorf("the clip is %s with %d ms", again.Status, *again.DurationMS)
	}
	if got := get(w.Peaks(u.UUID, c.UUID))(t); !slices.Equal(got, peaks) {
		t.Errorf("the waveform is %v", got)
	}
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("another job is queued, %v", err)
	}

	w.lose(clipKey(c.ClipFileID, fileSpeech))
	w.reopen()
	w.ingest(60_000)
	if gone(w.FilePath(clipKey(c.ClipFileID, fileSpeech))) {
		t.Error("the start does not find the lost speech audio")
	}
	w.clean()
}

// A clip whose lost files cannot be made again stays as it is.
func TestFailedRemakeKeepsTheClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	w.lose(clipKey(c.ClipFileID, filePeaks))
	_, err := w.Peaks(u.UUID, c.UUID)
	wantCode(t, err, Conflict, "conflict")
	must(t, w.FailClip(w.claim(), "The recording cannot be decoded."))
	if got := get(w.Clip(u.UUID, c.UUID))(t); got.Status != ClipReady || gone(get(w.OriginalPath(got))(t)) {
		t.Errorf("the clip is %s", got.Status)
	}
}

// Without the original the error names the missing file.
func TestLostOriginalIsNamed(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	w.lose(clipKey(c.ClipFileID, filePeaks))
	w.lose(clipKey(c.ClipFileID, fileOriginal))
	_, err := w.Peaks(u.UUID, c.UUID)
	wantCode(t, err, Conflict, "conflict")
	if !strings.Contains(err.Error(), "media/"+clipKey(c.ClipFileID, fileOriginal)) {
		t.Errorf("the error does not name the file: %v", err)
	}
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("a job without its original is queued, %v", err)
	}
}

func TestLostPosterOfAnAssetIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	result := AssetResult{PosterTemp: w.temp(10)}
	result.Asset.Info.Format, result.Asset.Kind = "mov", "video"
	a := w.asset(u, result)
	key := assetKey(a.AssetFileID, assetPoster, a.Version)
	w.lose(key)
	_, err := os.ReadFile(w.FilePath(key))
	wantCode(t, w.MissingFile(err), Conflict, "conflict")
	result.PosterTemp = w.temp(10)
	get(w.FinishAsset(w.claimAsset(a.UUID), result))(t)
	if gone(w.FilePath(key)) {
		t.Error("the poster is still missing")
	}
	w.clean()
}
