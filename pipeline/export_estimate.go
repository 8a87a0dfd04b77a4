package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"roughcut/media"
	"roughcut/store"
)

// EstimateExport predicts the size and the render time of an export. It encodes a sample of the
// frames, unless an earlier estimate had the same footage and settings. If that fails, the estimate
// comes from the bit rates of the recordings. Errors: a FileFault if the settings do not suit the
// clips; the cause of ctx.
func (p *Pool) EstimateExport(ctx context.Context, in store.EstimateInput) (media.RenderEstimate, error) {
	if err := p.findFaces(ctx, &in.ExportInput); err != nil {
		return media.RenderEstimate{}, err
	}
	plan, err := renderPlan(in.ExportInput)
	if err != nil {
		return media.RenderEstimate{}, err
	}
	_, known, err := p.rendered.of(plan)
	if err != nil {
		return media.RenderEstimate{}, err
	}
	input := media.EstimateInput{
		Plan:       plan,
		Resolution: in.Settings.Resolution,
		Aspect:     in.Settings.AspectRatio,
		Clips:      in.Clips,
		Sources:    in.Sources,
		Earlier:    in.Earlier,
		Speed:      in.Speed,
		Cached:     known,
	}
	switch sample, err := p.sample(ctx, input); {
	case ctx.Err() != nil:
		return media.RenderEstimate{}, context.Cause(ctx)
	case err != nil:
		p.Log.Warn("sampling an export failed", "project", in.Export.ProjectUUID, "error", err)
	default:
		input.Sample = &sample
	}
	found := input.Estimate()
	return found, p.estimated.add(plan, found)
}

// plansKept is how many plans a planMemory remembers.
const plansKept = 64

// planMemory remembers something about render plans, the oldest first. It starts empty when the
// program does.
type planMemory[T any] struct {
	mu    sync.Mutex
	known []rememberedPlan[T]
}

type rememberedPlan[T any] struct {
	sum   [sha256.Size]byte
	value T
}

// add remembers a value of a plan, in place of an earlier one.
func (m *planMemory[T]) add(plan media.RenderPlan, value T) error {
	sum, err := planSum(plan)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = slices.DeleteFunc(m.known, func(k rememberedPlan[T]) bool { return k.sum == sum })
	if len(m.known) == plansKept {
		m.known = slices.Delete(m.known, 0, 1)
	}
	m.known = append(m.known, rememberedPlan[T]{sum, value})
	return nil
}

// of returns the value of a plan.
func (m *planMemory[T]) of(plan media.RenderPlan) (value T, known bool, err error) {
	sum, err := planSum(plan)
	if err != nil {
		return value, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.known {
		if k.sum == sum {
			return k.value, true, nil
		}
	}
	return value, false, nil
}

func planSum(plan media.RenderPlan) (sum [sha256.Size]byte, err error) {
	data, err := json.Marshal(plan)
	if err != nil {
		return sum, fmt.Errorf("comparing render plans: %w", err)
	}
	return sha256.Sum256(data), nil
}
