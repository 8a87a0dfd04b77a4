package server

import (
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// A user whose queue is full gets 429 for further work, and the response says so.
func TestFullQueueRefusesMoreJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, o *store.Options) { o.MaxQueuedJobs = 1 })
	p := w.person("p")
	project := p.project("Talk")
	variable, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+variable+"/confirm", nil).want(202, "")
	w.finishClipWith(clipMS, func(info *media.Info) { info.Video.VariableRate = true })
	copies := "/api/v1/clips/" + variable + "/constant-rate-copy"

	waiting, _ := p.upload(project, []byte("bytes of another recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+waiting+"/confirm", nil).want(202, "")
	p.do("POST", copies, nil).want(429, "too_many_jobs")
	w.finishClip()
	p.do("POST", copies, nil).want(202, "")

	w.store.JobEnded(w.claim(store.JobConstantRate), 0)
	long := p.unsprited(project)
	another, _ := p.upload(project, []byte("bytes of one more recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+another+"/confirm", nil).want(202, "")
	p.do("POST", "/api/v1/clips/"+long+"/sprite", nil).want(429, "too_many_jobs")
}

// Every operation that queues a job is refused while the queue of the user is full.
func TestFullQueueRefusesEveryKindOfJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, o *store.Options) { o.MaxQueuedJobs = 1 })
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	tracks := "/api/v1/clips/" + p.screenClip(project) + "/tracks"
	asset := p.readyAsset("video/mp4")
	sent, _ := p.sendAsset("video/mp4", nil)
	others := p.project("Others")
	clips := "/api/v1/projects/" + others + "/clips/"
	first, _ := p.upload(others, []byte("bytes of a recording"))
	second, _ := p.upload(others, []byte("bytes of another recording"))
	p.do("POST", clips+first+"/confirm", nil).want(202, "")

	for _, full := range []struct {
		method, path string
		body         map[string]any
	}{
		{"POST", clips + second + "/confirm", nil},
		{"POST", "/api/v1/assets/" + sent + "/confirm", nil},
		{"POST", "/api/v1/assets/" + asset + "/edit", map[string]any{"end_ms": 1000, "save_mode": "copy"}},
		{"POST", "/api/v1/assets/" + asset + "/edit", map[string]any{"end_ms": 1000, "save_mode": "replace"}},
		{"POST", base + "/analyze", map[string]any{}},
		{"POST", base + "/exports", map[string]any{"name": "Cut"}},
		{"POST", base + "/clips/video-import", map[string]any{"url": "https://example.org/talk.mp4"}},
		{"POST", "/api/v1/assets/import-video", map[string]any{"url": "https://example.org/talk.mp4"}},
		{"PUT", tracks, map[string]any{"heard": []int{1, 2}}},
	} {
		var body any
		if full.body != nil {
			body = full.body
		}
		p.do(full.method, full.path, body).want(429, "too_many_jobs")
	}

	w.finishClip()
	p.do("POST", clips+second+"/confirm", nil).want(202, "")
}
