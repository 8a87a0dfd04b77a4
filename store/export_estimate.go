package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"roughcut/media"
)

// earlierRenders is how many exports of a project an estimate looks at.
const earlierRenders = 20

// EstimateInput is the input of an estimate: that of the export, and the figures that predict it.
type EstimateInput struct {
	ExportInput
	Sources []media.RenderSource  // one for each clip
	Earlier []media.EarlierRender // of the project, newest first
	Speed   media.RenderSpeed
}

// EstimateInput returns the input that an export would have now. Errors: those of CreateExport,
// except for linked files and the disk.
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
		a, err := accounts.Get(t, asked.project.UserUUID)
		if err != nil {
			return err
		}
		out.Export.WatermarkRequired = t.watermarks(a)
		for _, p := range asked.line.places {
			out.Sources = append(out.Sources, media.RenderSource{Name: p.row.Name, SizeBytes: p.row.SizeBytes})
			path := ""
			if p.row.HasKeys {
				path = s.FilePath(clipKey(p.row.ClipFileID, fileKeys))
			}
			keys = append(keys, path)
		}
		if out.Earlier, err = t.earlierRenders(projectUUID); err != nil {
			return err
		}
		out.Speed, err = t.renderSpeed()
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
func readKeyframes(sources []media.RenderSource, paths []string) error {
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

// earlierRenders returns the finished exports of a project, newest first.
func (t *txn) earlierRenders(projectUUID string) (list []media.EarlierRender, err error) {
	rows, _, err := exports.Page(t, Page{Number: 1, Size: earlierRenders}, exportsByProject, projectUUID)
	for _, row := range rows {
		r := row.Rendering
		if r == nil || r.Frames == 0 {
			continue
		}
		list = append(list, media.EarlierRender{
			Width:      row.Width,
			Height:     row.Height,
			DurationMS: row.DurationMS,
			SizeBytes:  row.SizeBytes,
			Encoded:    float64(r.Frames-r.Copied) / float64(r.Frames),
		})
	}
	return list, err
}

// renderSpeed returns the measured speed of this machine.
func (t *txn) renderSpeed() (speed media.RenderSpeed, err error) {
	if stored := t.Bucket([]byte(bucketMeta)).Get([]byte(metaSpeed)); stored != nil {
		err = json.Unmarshal(stored, &speed)
	}
	return speed, err
}

// learnSpeed adds a finished render to the measured speed of this machine.
func (t *txn) learnSpeed(exportUUID string, made media.RenderResult) error {
	speed, err := t.renderSpeed()
	if err != nil || made.TookMS == 0 {
		return err
	}
	frozen, err := exportInputs.Get(t, exportUUID)
	if err != nil {
		return err
	}
	read := int64(0)
	for _, c := range frozen.Clips {
		row, err := t.clipOfFile(footageID(c.Key))
		if err != nil {
			return err
		}
		if row != nil {
			read += row.SizeBytes
		}
	}
	packed, err := json.Marshal(speed.Learn(made, read))
	if err != nil {
		return fmt.Errorf("writing the render speed: %w", err)
	}
	return t.Bucket([]byte(bucketMeta)).Put([]byte(metaSpeed), packed)
}
