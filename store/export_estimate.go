package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"roughcut/media"
	"roughcut/media/estimate"
)

// earlierRenders is how many exports of a project an estimate looks at.
const earlierRenders = 20

// renderSpeed is the JSON under metaSpeed.
type renderSpeed struct {
	Kinds []media.RenderRates `json:"kinds"` // one of each kind
}

// EstimateInput is the input of an estimate: the input of the export, and the figures that predict
// its size and time.
type EstimateInput struct {
	ExportInput
	Sources []estimate.Source   // one for each clip
	Rates   []media.RenderRates // of the project, newest first, then of this machine
}

// EstimateInput returns the input that an export would have now. Errors: as in CreateExport, except
// for linked files and the disk.
func (s *Store) EstimateInput(userUUID, projectUUID string, in NewExport) (EstimateInput, error) {
	var out EstimateInput
	var keys []string // paths, empty for clips without
	ready := false
	in.WaitForClips = &ready // an estimate knows the ready clips only
	err := s.view(func(t *txn) error {
		asked, err := t.askedExport(userUUID, projectUUID, in)
		if err != nil {
			return err
		}
		if out.ExportInput, err = t.exportInput(asked.frozen, asked.settings); err != nil {
			return err
		}
		rights, err := t.books().Entitlements(asked.project.UserUUID)
		if err != nil {
			return err
		}
		out.Export.WatermarkRequired = t.watermarks(rights)
		for _, p := range asked.line.places {
			out.Sources = append(out.Sources, estimate.Source{Name: p.row.Name, SizeBytes: p.row.SizeBytes})
			path := ""
			if p.row.HasKeys {
				path = s.FilePath(clipKey(p.row.ClipFileID, fileKeys))
			}
			keys = append(keys, path)
		}

		if out.Rates, err = t.earlierRenders(projectUUID); err != nil {
			return err
		}
		speed, err := t.renderSpeed()
		out.Rates = append(out.Rates, speed.Kinds...)
		return err
	})
	if err != nil {
		return EstimateInput{}, err
	}
	if err := readKeyframes(out.Sources, keys); err != nil {
		return EstimateInput{}, err
	}
	return out, nil
}

// readKeyframes reads the keyframes of sources from files. A clip that was deleted just now has
// none.
func readKeyframes(sources []estimate.Source, paths []string) error {
	for i, path := range paths {
		if path == "" {
			continue
		}
		packed, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading the keyframes of a clip: %w", err)
		}
		sources[i].Keyframes = unpackTimes(packed)
	}

	return nil
}

// earlierRenders returns what the exports of a project took, newest first.
func (t *txn) earlierRenders(projectUUID string) (list []media.RenderRates, err error) {
	rows, _, err := exports.Page(t, Page{Number: 1, Size: earlierRenders}, exportsByProject, projectUUID)
	for _, row := range rows {
		if row.Rendering != nil {
			list = append(list, row.Rendering.Rates)
		}
	}

	return list, err
}

// renderSpeed returns what the exports of this machine took.
func (t *txn) renderSpeed() (speed renderSpeed, err error) {
	if stored := t.Bucket([]byte(bucketMeta)).Get([]byte(metaSpeed)); stored != nil {
		err = json.Unmarshal(stored, &speed)
	}
	return speed, err
}

// learnSpeed adds what a finished export took.
func (t *txn) learnSpeed(made media.RenderRates) error {
	speed, err := t.renderSpeed()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(speed.Kinds, func(r media.RenderRates) bool { return r.Kind == made.Kind })
	if i < 0 {
		i = len(speed.Kinds)
		speed.Kinds = append(speed.Kinds, media.RenderRates{})
	}

	speed.Kinds[i] = estimate.Learn(speed.Kinds[i], made)
	packed, err := json.Marshal(speed)
	if err != nil {
		return fmt.Errorf("writing the render speed: %w", err)
	}
	return t.Bucket([]byte(bucketMeta)).Put([]byte(metaSpeed), packed)
}
