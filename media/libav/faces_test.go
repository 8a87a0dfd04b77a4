package libav

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// walkingFace writes a recording of 60 s with a face that walks to and fro every 40 s.
func walkingFace(t *testing.T) (path string, place func(ms int64) float64) {
	t.Helper()
	place = func(ms int64) float64 { return 0.5 + 0.25*math.Sin(2*math.Pi*float64(ms)/40_000) }
	const width, height, rate = 320, 180, 2
	raw, luma := []byte{}, make([]byte, width*height)
	for n := range int64(60 * rate) {
		mediatest.DrawFaces(luma, width, height, []media.Face{{X: place(1000 * n / rate), Y: 0.45, Size: 0.4}})
		raw = append(raw, luma...)
	}
	from, path := filepath.Join(t.TempDir(), "raw"), filepath.Join(t.TempDir(), "walk.mp4")
	if err := os.WriteFile(from, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	mediatest.FFmpeg(t, "-f", "rawvideo", "-pix_fmt", "gray", "-s", "320x180", "-r", "2", "-i", from,
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "4", "-pix_fmt", "yuv420p", path)
	return path, place
}

// A search for faces follows a walking face. When its processor time is used up, it returns the
// faces found so far. It fails if the request is canceled.
func TestFacesWithinTheirProcessorTime(t *testing.T) {
	path, place := walkingFace(t)
	info, err := New().Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	request := media.FacesRequest{Path: path, Info: info}
	for ms := int64(0); ms < 60_000; ms += 2000 {
		request.Keyframes = append(request.Keyframes, ms)
	}
	found, err := New().Faces(t.Context(), request)
	if err != nil || len(found) < 14 {
		t.Fatalf("%d faces, %v", len(found), err)
	}
	for _, f := range found {
		if off := math.Abs(f.X - place(f.MS+500)); off > 0.04 { // the frame after the keyframe
			t.Errorf("at %d ms the face is found at %.2f, %.2f away", f.MS, f.X, off)
		}
	}
	few := New()
	looks := 0
	few.clock = av.NewCPUClock(func() time.Duration {
		looks++
		return time.Duration(looks) * facesCPU / 40
	})
	some, err := few.Faces(t.Context(), request)
	if err != nil || len(some) == 0 || len(some) >= len(found) {
		t.Errorf("in 40 looks at the processor time %d faces are found, %v", len(some), err)
	}
	if first, last := some[0].MS, some[len(some)-1].MS; last-first < 30_000 {
		t.Errorf("they are at %d to %d ms of 60,000", first, last)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Faces(over, request); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: %v", err)
	}
}

// Frames that cannot be decoded have no faces.
func TestFacesOfADamagedRecording(t *testing.T) {
	path, _ := walkingFace(t)
	info, err := New().Probe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[len(data)/2 : len(data)-8000]) // the index at the end remains
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := New().Faces(t.Context(), media.FacesRequest{Path: path, Info: info})
	if err != nil || len(found) == 0 {
		t.Errorf("%d faces, %v", len(found), err)
	}
}
