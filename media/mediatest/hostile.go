package mediatest

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// AnimationBomb returns a GIF whose frames each change one pixel of a large picture, in 23 bytes.
func AnimationBomb(t testing.TB, width, height uint16, frames int) string {
	t.Helper()
	data := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	data = binary.LittleEndian.AppendUint16(data, height)
	data = append(data, 0x80, 0, 0, 0, 0, 0, 255, 255, 255) // a table of two colors: black and white
	for range frames {
		data = append(data, 0x21, 0xf9, 4, 0, 1, 0, 0, 0)    // shown for a hundredth of a second
		data = append(data, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0) // one pixel at the top left
		data = append(data, 0x02, 0x02, 0x4c, 0x01, 0x00)    // its color, compressed
	}

	path := filepath.Join(t.TempDir(), "animation.gif")
	if err := os.WriteFile(path, append(data, 0x3b), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// EndlessFrame returns an MP4 of a second at 30 frames a second whose last frame claims to last
// until 2³¹ ticks of a 30th of a second, more than two years. sound adds an audio track.
func EndlessFrame(t testing.TB, sound bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "endless.mp4")
	args := []string{"-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=30:d=1"}
	if sound {
		args = append(args, "-f", "lavfi", "-i", "sine=d=1")
	}
	args = append(args, "-vf", "setpts='if(eq(N,29),N+5,N)'", "-fps_mode", "vfr", "-c:v", "libx264", "-bf", "0",
		"-video_track_timescale", "30", "-use_editlist", "0", path)
	if out, err := Command(t, "ffmpeg", args...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The table of durations: version and flags, number of entries, then a count and a duration
	// for each.
	at := bytes.Index(data, []byte("stts")) + 8
	last := at + 4 + 8*(int(binary.BigEndian.Uint32(data[at:]))-1)
	if binary.BigEndian.Uint32(data[last:]) != 1 {
		t.Fatalf("the last entry of the table of %s is not of a single frame", path)
	}
	binary.BigEndian.PutUint32(data[last+4:], 1<<31-1)
	binary.BigEndian.PutUint32(data[bytes.Index(data, []byte("mdhd"))+20:], 1<<31-1) // length of the track
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
