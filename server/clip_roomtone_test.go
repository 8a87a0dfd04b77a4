package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// quietRecording is a fault of a recording.
type quietRecording struct{}

func (quietRecording) Error() string     { return "damaged" }
func (quietRecording) FileFault() string { return "The recording is damaged." }

// The room tone of a clip is a WAV file. It comes from no part that is muted.
func TestRoomToneOfClip(t *testing.T) {
	t.Parallel()
	var asked media.RoomToneRequest
	samples, failure := []int16{1, -1, 2, -2}, error(nil)
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.RoomTone = func(_ context.Context, request media.RoomToneRequest) ([]int16, error) {
			asked = request
			return samples, failure
		}
	})
	p := w.person("p")
	project := p.project("Talk")
	first, second := p.readyClip(project), p.readyClip(project)
	for _, span := range [][2]int{{2000, 2500}, {11000, 12000}} {
		p.do("POST", "/api/v1/projects/"+project+"/edits/", map[string]any{
			"type": "manual", "start_ms": span[0], "end_ms": span[1], "action": "mute",
		}).want(201, "")
	}
	at := func(clip string, start, end int) string {
		return fmt.Sprintf("/api/v1/clips/%s/room-tone?start_ms=%d&end_ms=%d", clip, start, end)
	}
	got := p.do("GET", at(second, 1000, 2000), nil).want(200, "")
	if kind := got.header.Get("Content-Type"); kind != "audio/wav" {
		t.Errorf("the room tone is %s", kind)
	}
	number := binary.LittleEndian
	if !bytes.HasPrefix(got.body, []byte("RIFF")) || number.Uint16(got.body[22:]) != 2 ||
		number.Uint32(got.body[24:]) != media.SampleRate || number.Uint32(got.body[40:]) != 8 ||
		!bytes.HasSuffix(got.body, []byte{1, 0, 0xff, 0xff, 2, 0, 0xfe, 0xff}) {
		t.Errorf("the room tone is % x", got.body)
	}
	second1 := media.SampleRange{From: media.SampleRate, To: 2 * media.SampleRate}
	if asked.Muted != second1 || len(asked.Avoid) != 3 || asked.Avoid[1] != second1 || asked.Avoid[0].To > 0 {
		t.Errorf("room tone is asked for with %+v", asked)
	}
	samples = nil
	p.do("GET", at(first, 0, 500), nil).want(204, "")
	failure = quietRecording{}
	p.do("GET", at(first, 0, 500), nil).want(409, "conflict")
	p.do("GET", at(first, 500, 500), nil).want(422, "unprocessable")
	w.person("q").do("GET", at(first, 0, 500), nil).want(403, "")
}
