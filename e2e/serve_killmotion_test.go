package e2e

import "testing"

// A server that is killed while it measures the motion of a long recording, for a choice that was
// answered before, measures it after the next start and applies the choice then.
func TestKillWhileMotionIsMeasured(t *testing.T) {
	t.Parallel()
	video, dir := lecture(t), t.TempDir()
	server := serve(t, dir, nil, "--owner")
	c := server.owner(t)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Lecture"}, 201)
	root := "/api/v1/projects/" + project.UUID
	c.upload(project.UUID, video)
	c.clipsReady(project.UUID, 1)
	call[struct{}](c, "POST", root+"/analyze", map[string]any{}, 202)
	comesTo(t, c, root+"/analysis-runs", "completed")
	measuring := func() bool {
		return call[list[struct {
			Pending bool `json:"sprite_pending"`
		}]](c, "GET", root+"/clips/", nil, 200).Items[0].Pending
	}
	cuts := func() (active int) {
		for _, e := range call[list[cutEdit]](c, "GET", root+"/edits/?page_size=200", nil, 200).Items {
			if e.Active {
				active++
			}
		}
		return active
	}
	before := cuts()
	run := call[list[record]](c, "GET", root+"/analysis-runs", nil, 200).Items[0]
	choice := map[string]any{"pacing_level": 50, "false_start_sensitivity": 50, "keep_demonstrations": true}
	call[struct{}](c, "POST", root+"/analysis-runs/"+run.UUID+"/replan", choice, 200)
	kills := 0
	for kills < 2 && measuring() { // a third kill would end the last attempt of the job
		server.kill()
		kills++
		server = serve(t, dir, nil, "--owner")
		c = server.owner(t)
		if got := cuts(); measuring() && got != before {
			t.Errorf("before the motion is known, %d of %d cuts are active", got, before)
		}
	}
	t.Logf("%d kills", kills)
	poll(t, func() bool { return !measuring() && cuts() < before }) // some pauses show a demonstration
	server.stop()
	doctor(t, dir)
}

// lecture films seven and a half minutes that move, with a pause of two seconds every four seconds.
// Its keyframes are large: decoding them takes seconds, but copying them takes no time.
func lecture(t *testing.T) string {
	t.Helper()
	moment := film(
		t, "moment.mp4", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=2:d=4",
		"-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=4,volume=4*lt(t\\,2):eval=frame",
		"-c:v", "libx264", "-preset", "ultrafast", "-crf", "26", "-g", "2", "-pix_fmt", "yuv420p", "-c:a", "aac",
	)
	return film(t, "lecture.mp4", "-stream_loop", "112", "-i", moment, "-c", "copy", "-t", "450")
}
