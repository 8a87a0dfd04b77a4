package pipeline

import (
	"roughcut/media"
	"roughcut/store"
)

// EstimateExport predicts the size and the render time of an export. It reads no media. Errors: a
// FileFault if the settings do not suit the clips.
func EstimateExport(in store.EstimateInput) (media.RenderEstimate, error) {
	plan, err := media.NewRenderPlan(in.Clips, in.Cuts, planSettings(in.ExportInput))
	if err != nil {
		return media.RenderEstimate{}, asFileFault(err)
	}
	return media.EstimateInput{
		Plan:       plan,
		Resolution: in.Settings.Resolution,
		Aspect:     in.Settings.AspectRatio,
		Clips:      in.Clips,
		Sources:    in.Sources,
		Earlier:    in.Earlier,
		Speed:      in.Speed,
	}.Estimate(), nil
}
