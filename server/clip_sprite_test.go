package server

import (
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// A clip without a sprite sheet says why, and its owner can repeat the job.
func TestRetrySprite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip := p.leftSprite(project)
	shown := func() *reply {
		return p.do("GET", "/api/v1/projects/"+project+"/clips/", nil).want(200, "")
	}
	got := shown()
	if got.text("items", 0, "sprite_pending") != "true" || got.value("items", 0, "sprite_error") != nil {
		t.Errorf("while it is being made: %s", got.body)
	}
	p.do("POST", "/api/v1/clips/"+clip+"/sprite", nil).want(409, "conflict")
	w.failSprite()
	if got := shown(); got.text("items", 0, "sprite_error") != "The video cannot be decoded." {
		t.Errorf("after a failure: %s", got.body)
	}
	p.do("POST", "/api/v1/clips/"+noSuchUUID+"/sprite", nil).want(404, "not_found")
	w.person("other").do("POST", "/api/v1/clips/"+clip+"/sprite", nil).want(403, "forbidden")
	holds(t, p.do("POST", "/api/v1/clips/"+clip+"/sprite", nil).want(202, ""), map[string]any{"sprite_pending": true})
	if got := shown(); got.value("items", 0, "sprite_error") != nil {
		t.Errorf("while it is repeated: %s", got.body)
	}
}

// leftSprite creates a ready clip whose sprite sheet is still being made.
func (p *person) leftSprite(project string) string {
	p.w.t.Helper()
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	_, err := p.w.store.FinishClip(p.w.claim(store.JobClip), store.ClipResult{
		Ingested:   media.IngestResult{Info: media.Info{Format: "mov", DurationMS: 240_000}, TilesLeft: true},
		SpeechTemp: p.w.temp("speech"),
	})
	if err != nil {
		p.w.t.Fatal(err)
	}
	return clip
}

// failSprite fails the job of the sprite sheet that is next.
func (w *world) failSprite() {
	w.t.Helper()
	job, ok, err := w.store.ClaimTiles(w.t.Context())
	if err != nil || !ok {
		w.t.Fatal(ok, err)
	}
	if _, err := w.store.FailTiles(job, "The video cannot be decoded."); err != nil {
		w.t.Fatal(err)
	}
}

// unsprited creates a ready clip whose sprite sheet could not be made.
func (p *person) unsprited(project string) string {
	p.w.t.Helper()
	clip := p.leftSprite(project)
	p.w.failSprite()
	return clip
}
