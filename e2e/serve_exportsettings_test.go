package e2e

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// rudeTalk is a talk with a profane word.
func rudeTalk(t *testing.T) mediatest.TalkFixture {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: `rate 48000
floor -62
pause 600
say en-us 160 welcome back everyone
pause 1900
say en-us 160 the sound of this camera is bullshit my friends
pause 1700
say en-us 160 please subscribe and see you next week
pause 900
`})
}

// checkExportSettings measures loudness, bleep and captions in an export of the rude talk.
func checkExportSettings(t *testing.T, path string, edits []cutEdit) {
	t.Helper()
	if lufs, _ := mediatest.Loudness(t, path); math.Abs(lufs+14) > 0.5 {
		t.Errorf("the loudness is %.1f LUFS", lufs)
	}
	sound := mediatest.PCM(t, path, 48000)
	var rude mediatest.Word
	for _, w := range rudeTalk(t).Words {
		if w.Text == "bullshit" {
			rude = w
		}
	}
	at := onOutput((rude.StartMS+rude.EndMS)/2, edits)
	if tone := tonePower(sound, at); tone < 0.05 {
		t.Errorf("the bleep at %d ms has amplitude %.4f", at, tone)
	}
	if tone := tonePower(sound, at-1200); tone > 0.02 {
		t.Errorf("there is a tone before the bleep, its amplitude is %.4f", tone)
	}
	bottom := func(ms int64) float64 { return brightShare(t, path, ms) }
	if shown := bottom(at); shown < 0.002 {
		t.Errorf("at %d ms only %.4f of the caption area is bright", at, shown)
	}
	if shown := bottom(100); shown > 0.0005 {
		t.Errorf("before the first word %.4f of the caption area is bright", shown)
	}
}

// onOutput maps a time in the recording to the output, after the active cuts.
func onOutput(ms int64, edits []cutEdit) int64 {
	out := ms
	for _, e := range edits {
		if e.Active && e.StartMS < ms {
			out -= min(e.EndMS, ms) - e.StartMS
		}
	}
	return out
}

// tonePower returns the amplitude of a 1 kHz tone in 100 ms of audio.
func tonePower(sound []float32, ms int64) float64 {
	var re, im float64
	part := sound[ms*48-2400 : ms*48+2400]
	for i, v := range part {
		sin, cos := math.Sincos(2 * math.Pi * 1000 * float64(i) / 48000)
		re, im = re+float64(v)*cos, im+float64(v)*sin
	}
	return 2 * math.Hypot(re, im) / float64(len(part))
}

// brightShare returns the share of bright pixels in the lowest 30 % of a frame. In a 9:16 export of
// a wide recording that part is a black bar.
func brightShare(t *testing.T, path string, ms int64) float64 {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-ss", fmt.Sprintf("%.3f", float64(ms)/1000), "-i", path,
		"-frames:v", "1", "-vf", "crop=iw:ih*0.3:0:ih*0.7", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1",
	).Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
	bright := 0
	for _, v := range out {
		if v > 180 {
			bright++
		}
	}
	return float64(bright) / float64(len(out))
}

func TestExportAppliesSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Rude"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, rudeTalk(t).Path)
	poll(t, func() bool {
		return call[list[record]](c, "GET", root+"/clips/", nil, 200).Items[0].Status == "ready"
	})
	call[struct{}](c, "POST", root+"/analyze", map[string]int{}, 202)
	comesTo(t, c, root+"/analysis-runs", "completed")
	edits := call[list[cutEdit]](c, "GET", root+"/edits/", nil, 200).Items
	draft := call[record](c, "POST", root+"/drafts/", map[string]any{"name": "d", "export_settings": map[string]any{
		"resolution":       "720p",
		"aspect_ratio":     "9:16",
		"audio_censorship": "mute",
		"captions":         map[string]any{"enabled": true, "style": "karaoke"},
	}}, 201)
	export := call[record](
		c,
		"POST",
		root+"/exports/",
		map[string]any{"name": "x", "draft_id": draft.UUID, "export_settings": map[string]any{
			"audio_censorship": "bleep",
			"captions":         map[string]any{"style": "classic"},
			"audio":            map[string]any{"normalize": true, "noise_reduction": true},
		}},
		202,
	)
	comesTo(t, c, root+"/exports/", "completed")
	out := filepath.Join(dir, "x.mp4")
	c.download(export.UUID, out)
	checkExportSettings(t, out, edits)
	server.stop()
	doctor(t, dir)
}
