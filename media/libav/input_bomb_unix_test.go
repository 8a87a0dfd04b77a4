//go:build unix

package libav

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"roughcut/media"
)

// A jump of twenty minutes in the time stamps of audio takes no space on the disk.
func TestSilenceTakesNoSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jump.mka")
	ffmpeg(t, "-f", "lavfi", "-i", "sine=d=2", "-af", "asetpts='if(lt(T,1),PTS,PTS+1200/TB)'", "-c:a", "flac", path)
	speech := filepath.Join(t.TempDir(), "speech.s16")
	got, err := New().Ingest(context.Background(), media.IngestRequest{Path: path, SpeechPath: speech}, nil)
	if err != nil || got.Info.DurationMS < 1_200_000 {
		t.Fatalf("%d ms, %v", got.Info.DurationMS, err)
	}
	samples := speechSamples(t, speech)
	if want := got.Info.DurationMS * media.SpeechSampleRate / 1000; int64(len(samples)) < want-16 {
		t.Errorf("%d samples of %d", len(samples), want)
	}
	for name, part := range map[string][]float32{
		"start": samples[1000:9000], "end": samples[len(samples)-12_000 : len(samples)-4000],
	} {
		if rms(part) < 0.05 {
			t.Errorf("the tone at the %s has level %f", name, rms(part))
		}
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(speech, &stat); err != nil {
		t.Fatal(err)
	}
	if used := stat.Blocks * 512; used > 1<<20 {
		t.Errorf("the file takes %d KB on the disk", used>>10)
	}
}
