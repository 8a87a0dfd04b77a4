package e2e

import (
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// seedShapes has three projects that are not analyzed. Phone has an upright recording without a
// face, and Face one with a face at 25 % and 40 % of the frame; both are cut from 1.5 to 2.3 s.
// Mixed has both recordings and one without video. The library has the image cover.png.
func seedShapes(t *testing.T, dir string, _ seed) seed {
	phone := mediatest.Talk(t, mediatest.TalkOptions{
		Width: 360, Height: 640, RotationDeg: 90, Seconds: 6, GOP: 30, VideoOptions: bt709,
	}).Path
	face := film(t, "face.mp4", append(
		drawnFaces(t, media.Face{X: 0.25, Y: 0.4, Size: 0.4}),
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac",
	)...)
	tone := film(t, "tone.wav", "-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=4,volume=4*mod(t\\,1):eval=frame")

	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	facts := map[string]string{}
	for name, clips := range map[string][]string{"Phone": {phone}, "Face": {face}, "Mixed": {phone, face, tone}} {
		uuid := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": name}, 201).UUID
		for _, clip := range clips {
			c.upload(uuid, clip)
		}
		facts[name] = uuid
	}
	for name, count := range map[string]int{"Phone": 1, "Face": 1, "Mixed": 3} {
		c.clipsReady(facts[name], count)
	}
	cover := film(t, "cover.png", "-f", "lavfi", "-i", "color=c=0x402020:s=300x300", "-frames:v", "1")
	c.asset(c.addAsset(cover, "image/png").UUID)
	for _, name := range []string{"Phone", "Face"} {
		cut := map[string]any{"type": "manual", "start_ms": 1500, "end_ms": 2300}
		call[record](c, "POST", "/api/v1/projects/"+facts[name]+"/edits/", cut, 201)
	}
	server.stop()
	return seed{Owner: true, Facts: facts}
}
