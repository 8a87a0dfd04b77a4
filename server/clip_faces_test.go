package server

import (
	"context"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// The faces of a clip come with the center that views follow, for its owner only.
func TestFacesOfClip(t *testing.T) {
	t.Parallel()
	failure := error(nil)
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Faces = func(context.Context, store.Clip) ([]media.Face, error) {
			return []media.Face{{MS: 1500, X: 0.4, Y: 0.3, Size: 0.2, Confidence: 90}}, failure
		}
	})
	p := w.person("p")
	project := p.project("Talk")
	clip := p.readyClip(project)
	path := "/api/v1/clips/" + clip + "/faces"
	got := string(p.do("GET", path, nil).want(200, "").body)
	if want := `{"center":[{"at_ms":1500,"x":0.4,"y":0.3}],` +
		`"faces":[{"at_ms":1500,"confidence":90,"size":0.2,"x":0.4,"y":0.3}]}`; strings.TrimSpace(got) != want {
		t.Errorf("the faces are %s, want %s", got, want)
	}
	w.person("q").do("GET", path, nil).want(403, "")
	failure = quietRecording{}
	p.do("GET", path, nil).want(409, "conflict")
}
