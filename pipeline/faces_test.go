package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
	"roughcut/store"
)

// The faces of a clip are looked for when an export needs them, once, and not for other exports.
func TestFacesAreFoundOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	frame := image.NewYCbCr(image.Rect(0, 0, 640, 360), image.YCbCrSubsampleRatio420)
	for i := range frame.Cb {
		frame.Cb[i], frame.Cr[i] = 128, 128
	}
	mediatest.DrawFaces(frame.Y, frame.YStride, 360, []media.Face{{X: 0.25, Y: 0.4, Size: 0.4}})
	var file bytes.Buffer
	if err := jpeg.Encode(&file, frame, nil); err != nil {
		t.Fatal(err)
	}
	stills, failure := 0, error(nil)
	w.engine.still = func(context.Context) ([]byte, error) {
		stills++
		return file.Bytes(), failure
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
	if len(point.Inputs[0].Face) > 0 || stills > 0 {
		t.Errorf("a punch-in around a point follows the face %+v, found in %d frames", point.Inputs[0].Face, stills)
	}
	failure = errors.New("the disk is gone")
	if got := export(`{"punch_in":{"scale_percent":115}}`).Inputs[0].Face; len(got) > 0 || stills != 1 {
		t.Errorf("the face %+v was found in %d frames that failed", got, stills)
	}
	failure = nil
	face := export(`{"punch_in":{"scale_percent":115}}`).Inputs[0].Face
	if len(face) != 1 || math.Hypot(face[0].X-0.25, face[0].Y-0.4) > 0.05 {
		t.Errorf("the face is at %+v", face)
	}
	asked := stills
	crop := export(`{"aspect_ratio":"9:16","fit":"crop"}`).Inputs[0].Crop
	if !slices.Equal(crop, face) || stills != asked {
		t.Errorf("the crop starts at %+v, want %+v; %d frames more were decoded", crop, face, stills-asked)
	}
}
