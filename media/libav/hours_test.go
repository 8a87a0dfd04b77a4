package libav

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// hours returns a recording of some hours at one frame a second.
func hours(t *testing.T, n int) string {
	t.Helper()
	talk := mediatest.Talk(t, mediatest.TalkOptions{
		Width: 128, Height: 72, Seconds: 60, RateNum: 1, GOP: 2, Channels: 1, VideoOptions: tagged,
	})
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.mp4", n))
	mediatest.FFmpeg(
		t, "-stream_loop", fmt.Sprint(n*60), "-i", talk.Path, "-t", fmt.Sprint(n*3600), "-c", "copy", path,
	)
	return path
}

// A recording of eight hours is read and cut like one of an hour, and takes little more memory:
// reading it took 19 MB more for each hour, and a cut 12 MB.
func TestLongRecordingsOfHours(t *testing.T) {
	needsLong(t)
	read, cut := map[int]int64{}, map[int]int64{}
	for _, n := range []int{1, 8} {
		path := hours(t, n)
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestIngestChild$")
		cmd.Env = append(os.Environ(), bombEnv+"="+path)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		read[n] = peakMemory(t, path)

		info, err := New().Probe(context.Background(), path)
		if err != nil || info.DurationMS < int64(n)*3_590_000 {
			t.Fatalf("%d hours have %d ms: %v", n, info.DurationMS, err)
		}
		var cuts []media.Span
		for at := int64(0); at < info.DurationMS; at += 30_000 {
			cuts = append(cuts, media.Span{StartMS: at + 22_000, EndMS: at + 30_000})
		}
		plan := makePlan(t, cuts, media.RenderSettings{}, path)
		out, _, peak := renderInChild(t, plan)
		if got := int64(len(videoPackets(t, out))); got != plan.Frames() {
			t.Errorf("%d hours: %d frames of %d", n, got, plan.Frames())
		}
		cut[n] = peak
		t.Logf("%d hours: reading takes %d MB, a cut %d MB", n, read[n]>>20, cut[n]>>20)
	}
	// The index of the packets that are read, and of those that are written, grows by the hour.
	const most = 7 * 25 << 20
	if more := read[8] - read[1]; more > most {
		t.Errorf("reading takes %d MB more", more>>20)
	}
	if more := cut[8] - cut[1]; more > most {
		t.Errorf("the cut takes %d MB more", more>>20)
	}
}

// A recording of more than twelve hours is refused by its length, one of almost twelve is not.
func TestLongRecordingsEndAtTwelveHours(t *testing.T) {
	needsLong(t)
	ingest := func(n int) error {
		_, err := New().Ingest(context.Background(), media.IngestRequest{Path: hours(t, n)}, nil)
		return err
	}
	if err := ingest(12); err != nil {
		t.Errorf("12 hours: %v", err)
	}
	if err := ingest(13); err == nil {
		t.Error("13 hours are read")
	}
}
