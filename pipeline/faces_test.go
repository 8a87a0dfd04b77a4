package pipeline_test

import (
	"errors"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// The faces of a clip are looked for when an export needs them, once, and not for other exports.
func TestFacesAreFoundOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	searches, failure := 0, error(nil)
	w.engine.faces = func() ([]media.Face, error) {
		searches++
		return []media.Face{{MS: 2000, X: 0.25, Y: 0.4, Size: 0.4, Confidence: 50}}, failure
	}
	var plans []media.RenderPlan
	w.engine.plan = func(plan media.RenderPlan) { plans = append(plans, plan) }
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	w.until(events, pipeline.ClipReady)
	export := func(settings string) media.RenderPlan {
		t.Helper()
		_, err := w.store.CreateExport(
			w.user.UUID, w.project.UUID, store.NewExport{Name: "x", Settings: []byte(settings)},
		)
		if err != nil {
			t.Fatal(err)
		}
		w.until(events, pipeline.ExportComplete)
		return plans[len(plans)-1]
	}
	point := export(`{"punch_in":{"scale_percent":115,"center":"point","x":0.2,"y":0.2}}`)
	if len(point.Inputs[0].Face) > 0 || searches > 0 {
		t.Errorf("a punch-in around a point follows the face %+v, found in %d searches", point.Inputs[0].Face, searches)
	}
	failure = errors.New("the disk is gone")
	if got := export(`{"punch_in":{"scale_percent":115}}`).Inputs[0].Face; len(got) > 0 || searches != 1 {
		t.Errorf("the face %+v was found in %d searches that failed", got, searches)
	}
	failure = nil
	face := export(`{"punch_in":{"scale_percent":115}}`).Inputs[0].Face
	if len(face) != 1 || face[0].X != 0.25 || face[0].Y != 0.4 {
		t.Errorf("the face is at %+v", face)
	}
	crop := export(`{"aspect_ratio":"9:16","fit":"crop"}`).Inputs[0].Crop
	if !slices.Equal(crop, face) || searches != 2 {
		t.Errorf("the crop starts at %+v, want %+v; %d searches", crop, face, searches)
	}
}
