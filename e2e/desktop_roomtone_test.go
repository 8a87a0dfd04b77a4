//go:build desktop

package e2e

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media/mediatest"
)

// ears is a file with the audio that programs on the screen play.
type ears struct {
	t    *testing.T
	path string
}

const (
	heardRate = 8000 // mono samples a second, 16 bits
	heardStep = 400  // samples of a level: 50 ms
)

// listen starts a sound server with one output that is recorded. Call it before the window starts.
func (s *screen) listen() ears {
	s.t.Helper()
	folder := s.t.TempDir()
	socket := filepath.Join(folder, "socket")
	s.env = append(s.env, "PULSE_SERVER=unix:"+socket)
	server := s.command(
		"pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
		"--load=module-null-sink sink_name=heard", "--load=module-native-protocol-unix auth-anonymous=1 socket="+socket,
	)
	if err := server.Start(); err != nil {
		s.t.Fatal(err)
	}
	ends(s.t, server)
	poll(s.t, func() bool { return s.command("pactl", "info").Run() == nil })
	e := ears{s.t, filepath.Join(folder, "heard")}
	file, err := os.Create(e.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	recorder := s.command(
		"parec", "--device=heard.monitor", "--format=s16le", "--channels=1", fmt.Sprint("--rate=", heardRate),
		"--latency-msec=50",
	)
	recorder.Stdout = file
	if err := recorder.Start(); err != nil {
		s.t.Fatal(err)
	}
	ends(s.t, recorder)
	return e
}

// levels returns the levels so far in dBFS, one for each heardStep.
func (e ears) levels() (out []float64) {
	e.t.Helper()
	raw, err := os.ReadFile(e.path)
	if err != nil {
		e.t.Fatal(err)
	}
	for step := range slices.Chunk(raw[:len(raw)/(2*heardStep)*(2*heardStep)], 2*heardStep) {
		sum := 1e-10
		for i := 0; i < len(step); i += 2 {
			x := float64(int16(binary.LittleEndian.Uint16(step[i:]))) / 32768
			sum += x * x / heardStep
		}
		out = append(out, 10*math.Log10(sum))
	}
	return out
}

// between returns the levels of the first quieter part of two seconds or more between loud ones,
// once half a second after it is loud. A busy machine may interrupt the audio for short.
func (e ears) between(loudDB float64) (quiet []float64, found bool) {
	all := e.levels()
	var loud []int
	for i, db := range all {
		if db >= loudDB {
			loud = append(loud, i)
		}
	}
	for n := 1; n+10 <= len(loud); n++ {
		if loud[n]-loud[n-1] > 40 {
			return all[loud[n-1]+1 : loud[n]], true
		}
	}
	return nil, false
}

// A muted cut plays the room tone of the recording in the window too: neither its voice nor
// silence.
func TestDesktopRoomTone(t *testing.T) {
	s, dir := newScreen(t), t.TempDir()
	heard := s.listen()
	talk := filepath.Join(folderOf(t), "Hum.mp4")
	tone := "0.25*sin(2*PI*300*t)*(between(t,0.5,7)+between(t,8,12))+0.006*(random(0)*2-1)"
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30", "-f", "lavfi", "-i",
		"aevalsrc='"+tone+"':s=48000", "-t", "13", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
		"-c:a", "aac", talk,
	).CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Hum"}, 201)
	c.upload(project.UUID, talk)
	comesTo(t, c, "/api/v1/projects/"+project.UUID+"/clips/", "ready")
	call[record](c, "POST", "/api/v1/projects/"+project.UUID+"/edits/", map[string]any{
		"type": "manual", "start_ms": 1500, "end_ms": 5000, "action": "mute",
	}, 201)
	server.stop()

	w := s.window(dir)
	s.click("link", "^Hum$")
	s.click("push button", "^Play$")
	w.until(answered("GET", "/api/v1/clips/:clip_uuid/room-tone", 200), 1)
	var muted []float64
	s.waits("audio after the muted cut", func() (found bool) {
		muted, found = heard.between(-25)
		return found
	})
	slices.Sort(muted)
	if usual := muted[len(muted)/2]; usual < -60 || usual > -40 {
		t.Errorf("the muted cut plays at %.0f dBFS, want the noise of the recording, about -49 dBFS", usual)
	}
	s.do("key", "alt+F4")
	w.closed()
}
