package pipeline

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"roughcut/media"
	"roughcut/store"
)

// EstimateExport predicts the size and the render time of an export. It decodes no media. Errors: a
// FileFault if the settings do not suit the clips.
func (p *Pool) EstimateExport(in store.EstimateInput) (media.RenderEstimate, error) {
	plan, err := renderPlan(in.ExportInput)
	if err != nil {
		return media.RenderEstimate{}, err
	}
	known, err := p.rendered.has(plan)
	if err != nil {
		return media.RenderEstimate{}, err
	}
	return media.EstimateInput{
		Plan:       plan,
		Resolution: in.Settings.Resolution,
		Aspect:     in.Settings.AspectRatio,
		Clips:      in.Clips,
		Sources:    in.Sources,
		Earlier:    in.Earlier,
		Speed:      in.Speed,
		Cached:     known,
	}.Estimate(), nil
}

// renderedPlansKept is how many plans renderedPlans remembers.
const renderedPlansKept = 64

// renderedPlans remembers the plans whose encoded chunks are in the render cache, oldest first.
// It starts empty when the program does.
type renderedPlans struct {
	mu   sync.Mutex
	sums [][sha256.Size]byte
}

// add remembers a plan that was rendered or pre-rendered.
func (r *renderedPlans) add(plan media.RenderPlan) error {
	sum, err := planSum(plan)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sums = slices.DeleteFunc(r.sums, func(known [sha256.Size]byte) bool { return known == sum })
	if len(r.sums) == renderedPlansKept {
		r.sums = slices.Delete(r.sums, 0, 1)
	}
	r.sums = append(r.sums, sum)
	return nil
}

func (r *renderedPlans) has(plan media.RenderPlan) (bool, error) {
	sum, err := planSum(plan)
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.sums, sum), nil
}

func planSum(plan media.RenderPlan) (sum [sha256.Size]byte, err error) {
	data, err := json.Marshal(plan)
	if err != nil {
		return sum, fmt.Errorf("comparing render plans: %w", err)
	}
	return sha256.Sum256(data), nil
}
