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
