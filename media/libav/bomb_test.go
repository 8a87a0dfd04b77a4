package libav

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// longest is the longest recording, in milliseconds.
const longest = av.MaxSeconds * 1000

// A frame that claims to last for years ends after twelve hours at most, however it is read.
func TestEndlessFrameEndsAtTheLimit(t *testing.T) {
	for _, sound := range []bool{false, true} {
		path := mediatest.EndlessFrame(t, sound)
		asset, err := New().Asset(context.Background(), media.AssetRequest{Path: path}, nil)
		if err != nil || asset.Info.DurationMS > longest {
			t.Errorf("sound %v: the asset has %d ms, %v", sound, asset.Info.DurationMS, err)
		}
		got, err := New().Ingest(context.Background(), media.IngestRequest{Path: path}, nil)
		if err != nil || got.Info.DurationMS > longest {
			t.Errorf("sound %v: the recording has %d ms, %v", sound, got.Info.DurationMS, err)
		}
	}
}

// A proxy of such a recording is small and holds the frame up to the limit.
func TestLongEndlessFrameMakesSmallProxy(t *testing.T) {
	needsLong(t)
	proxy := filepath.Join(t.TempDir(), "proxy.mp4")
	got, err := New().Ingest(
		context.Background(),
		media.IngestRequest{Path: mediatest.EndlessFrame(t, false), ProxyPath: proxy},
		nil,
	)
	if err != nil || got.Info.DurationMS > longest {
		t.Fatalf("%d ms, %v", got.Info.DurationMS, err)
	}
	if size := sizeOf(t, proxy); size > 50<<20 {
		t.Errorf("the proxy has %d MB", size>>20)
	}
}

// Audio of one sample a second, which 16 KB stretch to hours, is refused by name.
func TestTooFewSamplesASecondAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slow.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=r=8000:d=2", "-c:a", "pcm_u8", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(data[24:], 1) // samples a second
	binary.LittleEndian.PutUint32(data[28:], 1) // bytes a second
	speech := filepath.Join(t.TempDir(), "speech.s16")
	_, err = New().Ingest(
		context.Background(),
		media.IngestRequest{Path: writeFile(t, "slow.wav", data), SpeechPath: speech},
		nil,
	)
	var fault *av.MediaError
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "1 samples a second") {
		t.Errorf("%v, and %d bytes of speech", err, sizeOf(t, speech))
	}
}

// A small animation that takes minutes to draw is refused before it is drawn. A large one that
// takes seconds is not.
func TestAnimationBombIsRefused(t *testing.T) {
	_, err := New().Asset(
		context.Background(),
		media.AssetRequest{Path: mediatest.AnimationBomb(t, 8192, 4320, 20_000)},
		nil,
	)
	var fault *av.MediaError
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "too many frames") {
		t.Errorf("%v", err)
	}
	got, err := New().Asset(
		context.Background(),
		media.AssetRequest{Path: mediatest.AnimationBomb(t, 1920, 1080, 3000)},
		nil,
	)
	if err != nil || got.Info.DurationMS < 29_000 {
		t.Errorf("an animation of 30 s has %d ms, %v", got.Info.DurationMS, err)
	}
}

// A video is refused before it is decoded if its frames take too much memory.
func TestVideoThatTakesTooMuchMemoryIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "color=black:s=8192x4320:r=25", "-frames:v", "2", "-pix_fmt", "yuv444p10le",
		"-c:v", "libx264", "-preset", "ultrafast", "-x264-params", "ref=16:level=6.2", "-threads", "1", path,
	)
	_, err := New().Probe(context.Background(), path)
	var fault *av.MediaError
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "of memory to decode") {
		t.Errorf("%v", err)
	}
}

// A panic in a goroutine of an engine fails the call and not the process.
func TestPanicFailsOnlyTheCall(t *testing.T) {
	talk := mediatest.Talk(t, small())
	fault := func(float64) { panic("a fault in a step") }
	_, err := New().Ingest(
		context.Background(),
		media.IngestRequest{Path: talk.Path, ProxyPath: filepath.Join(t.TempDir(), "proxy.mp4")},
		fault,
	)
	if err == nil || !strings.Contains(err.Error(), "a fault in a step") {
		t.Errorf("Ingest: %v", err)
	}
	plan := makePlan(t, nil, media.RenderSettings{FlipH: true}, talk.Path)
	_, err = New().Render(context.Background(), plan, filepath.Join(t.TempDir(), "out.mp4"), fault)
	if err == nil || !strings.Contains(err.Error(), "a fault in a step") {
		t.Errorf("Render: %v", err)
	}
}

// Packets of tens of megabytes wait for room in the queue.
func TestPacketQueueIsBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, sent := newPacketQueue(128), 0
		go func() {
			defer q.close()
			for range 5 {
				p := astiav.AllocPacket()
				if err := errors.Join(p.AllocPayload(queuedBytes*2/5), q.send(t.Context(), p)); err != nil {
					t.Error(err)
				}
				sent++
			}
		}()
		synctest.Wait()
		if sent != 2 {
			t.Errorf("%d packets are in the queue, want 2", sent)
		}
		q.discard()
		synctest.Wait()
		if sent != 5 {
			t.Errorf("%d packets were sent, want 5", sent)
		}
	})
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.Size()
}

// jump is a recording of two seconds of audio with a jump in its time stamps after the first one.
type jump struct {
	name    string
	seconds int
	options []string
}

func jumps() []jump {
	return []jump{
		{"jump.mka", 1200, []string{"-c:a", "flac"}},
		{"fragmented.mp4", 43_000, []string{"-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"}},
		{"jump.ogg", 1200, []string{"-c:a", "libopus"}},
	}
}

// ingest makes the recording and its speech file. It returns the CPU time of the latter, and how
// often progress was reported.
func (j jump) ingest(t *testing.T) (speech string, got media.IngestResult, used time.Duration, reports int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), j.name)
	jump := fmt.Sprintf("asetnsamples=1024,asetpts='if(lt(T,1),PTS,PTS+%d/TB)'", j.seconds)
	args := []string{"-f", "lavfi", "-i", "sine=d=2:r=48000", "-af", jump}
	mediatest.FFmpeg(t, append(append(args, j.options...), path)...)
	speech = filepath.Join(t.TempDir(), "speech.s16")
	started := av.ProcessTime()
	request := media.IngestRequest{Path: path, SpeechPath: speech}
	got, err := New().Ingest(context.Background(), request, func(float64) { reports++ })
	if err != nil || got.Info.DurationMS < int64(j.seconds)*1000 {
		t.Fatalf("%d ms, %v", got.Info.DurationMS, err)
	}
	return speech, got, av.ProcessTime() - started, reports
}

// Silence costs little time.
func TestTimingSilence(t *testing.T) {
	mediatest.NeedsTiming(t)
	for _, c := range jumps() {
		if _, _, used, _ := c.ingest(t); used > 20*time.Second {
			t.Errorf("%s: %d s of silence took %v of processor time", c.name, c.seconds, used)
		}
	}
}

// A jump in the time stamps of audio does not enlarge the speech file beyond the recorded audio, in
// any container.
func TestSilenceTakesNoSpace(t *testing.T) {
	for _, c := range jumps() {
		t.Run(c.name, func(t *testing.T) {
			speech, got, _, reports := c.ingest(t)
			if reports < 100 {
				t.Errorf("progress was reported %d times", reports)
			}
			if size := sizeOf(t, speech); size > 3*2*media.SpeechSampleRate {
				t.Errorf("the speech file of two seconds of sound has %d KB", size>>10)
			}
			file, err := audio.OpenSpeech(speech)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if want := 2 * got.Info.DurationMS * media.SpeechSampleRate / 1000; file.Size() < want-32 {
				t.Errorf("%d bytes of %d", file.Size(), want)
			}
			level := func(at int64) float64 {
				raw, samples := make([]byte, 16_000), make([]float32, 8000)
				if _, err := file.ReadAt(raw, at&^1); err != nil {
					t.Fatal(err)
				}
				for i := range samples {
					samples[i] = float32(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32768
				}
				return rms(samples)
			}
			if start, gap, end := level(2000), level(file.Size()/2), level(file.Size()-24_000); start < 0.05 ||
				gap != 0 || end < 0.05 {
				t.Errorf("the levels of start, gap and end are %f, %f and %f", start, gap, end)
			}
		})
	}
}

// repeatedImage returns a MOV whose frames are all the same bytes of the file.
func repeatedImage(t *testing.T, frames int) string {
	t.Helper()
	dir := t.TempDir()
	one, path := filepath.Join(dir, "one.mov"), filepath.Join(dir, "repeated.mov")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "nullsrc=s=640x360:r=25,geq=random(1)*255:random(2)*255:random(3)*255",
		"-frames:v", "1", "-c:v", "png", "-pix_fmt", "rgb24", one,
	)
	mediatest.FFmpeg(t, "-stream_loop", fmt.Sprint(frames-1), "-i", one, "-c", "copy", "-movflags", "faststart", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := data[bytes.Index(data, []byte("stco"))+8:] // behind version and flags
	first, count := binary.BigEndian.Uint32(table[4:]), int(binary.BigEndian.Uint32(table))
	if count != frames {
		t.Fatalf("there are %d chunks, want one for each of %d frames", count, frames)
	}
	second := binary.BigEndian.Uint32(table[8:])
	for i := range count {
		binary.BigEndian.PutUint32(table[4+4*i:], first)
	}
	return writeFile(t, "repeated.mov", data[:second])
}

// Frames that are not in the file more than once cost their size each time.
func TestRepeatedDataIsRefused(t *testing.T) {
	path := repeatedImage(t, 160)
	_, err := New().Asset(context.Background(), media.AssetRequest{Path: path}, nil)
	var fault *av.MediaError
	if !errors.As(err, &fault) || !strings.Contains(fault.Message, "again and again") {
		t.Errorf("%v", err)
	}
	if _, err := New().Asset(context.Background(), media.AssetRequest{Path: repeatedImage(t, 20)}, nil); err != nil {
		t.Errorf("a few repeats: %v", err)
	}
}
