package libav

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// boxes returns the types and lengths of the top-level boxes of an MP4. Adjacent boxes of one type
// count as one.
func boxes(t *testing.T, path string) (types []string, lengths []int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var head [16]byte
	for at := int64(0); ; {
		if n, err := f.ReadAt(head[:], at); n < 8 {
			return types, lengths
		} else if n < 16 && err == nil {
			t.Fatal("a box is cut off")
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		if length == 1 {
			length = int64(binary.BigEndian.Uint64(head[8:]))
		}
		if n := len(types); n > 0 && types[n-1] == string(head[4:8]) {
			lengths[n-1] += length
		} else {
			types, lengths = append(types, string(head[4:8])), append(lengths, length)
		}
		if at += length; length < 8 {
			t.Fatalf("%v, the last one is %d bytes long", types, length)
		}
	}
}

// The index precedes the media data. If large parts are copied, space for it is reserved, and
// almost all of that is used.
func TestIndexPrecedesMediaData(t *testing.T) {
	large := []string{
		"-b:v", "12M", "-minrate", "12M", "-maxrate", "12M", "-bufsize", "3M",
		"-x264-params", "nal-hrd=cbr:filler=1",
	}
	for name, c := range map[string]struct {
		options mediatest.TalkOptions
		cuts    []media.Span
		free    bool
	}{
		"small":         {mediatest.TalkOptions{GOP: 48, BFrames: 3}, somePauses, false},
		"large":         {mediatest.TalkOptions{GOP: 48, BFrames: 3, VideoOptions: large}, somePauses, true},
		"all keyframes": {mediatest.TalkOptions{GOP: 1, VideoOptions: large}, somePauses, true},
		"all of it":     {mediatest.TalkOptions{GOP: 48, BFrames: 3, VideoOptions: large}, nil, true},
		"little of it": {
			mediatest.TalkOptions{GOP: 48, BFrames: 3, VideoOptions: large},
			[]media.Span{{StartMS: 2000, EndMS: 16_000}}, false,
		},
		"without audio": {mediatest.TalkOptions{GOP: 48, NoAudio: true, VideoOptions: large}, somePauses, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Hiss = true
			c.options.Width = 320
			c.options.Height = 180
			c.options.Seconds = 16
			c.options.VideoOptions = append(slices.Clone(tagged), c.options.VideoOptions...)
			plan := makePlan(t, c.cuts, media.RenderSettings{AspectRatio: "source"}, mediatest.Talk(t, c.options).Path)
			out, made := renderPlan(t, plan)
			if made.Copied == 0 {
				t.Fatalf("made %+v", made)
			}
			types, lengths := boxes(t, out)
			if want := []string{"ftyp", "moov", "free", "mdat"}; !slices.Equal(types, want) {
				t.Fatalf("it holds %v, want %v", types, want)
			}
			if kept := lengths[2] > 16; kept != c.free || lengths[2]*100 > made.SizeBytes {
				t.Errorf("%d of %d bytes are free", lengths[2], made.SizeBytes)
			}
			if got := mediatest.FrameNumbers(t, out); int64(len(got)) != plan.Frames() || slices.Contains(got, -1) {
				t.Errorf("%d frames of %d", len(got), plan.Frames())
			}
			checkSilentDecoder(t, out)
		})
	}
}
