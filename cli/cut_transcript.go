package cli

import (
	"fmt"
	"io"
	"os"

	"roughcut/media"
	"roughcut/media/subtitle"
)

// readTranscripts reads the transcripts of recordings, in the order of the recordings. The result
// has nil for a recording without a transcript. status receives the warnings.
func readTranscripts(paths []string, recordings int, status io.Writer) ([]*media.ImportedTranscript, error) {
	list := make([]*media.ImportedTranscript, recordings)
	if len(paths) > recordings {
		return nil, usageError{fmt.Errorf("--transcript was given %d times for %d recordings", len(paths), recordings)}
	}
	for i, path := range paths {
		if path == "" { // the speech model transcribes this recording
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read the transcript %q: %w", path, fileCause(err))
		}
		data, err := io.ReadAll(io.LimitReader(file, subtitle.MaxBytes+1))
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("cannot read the transcript %q: %w", path, fileCause(err))
		}
		m, err := subtitle.ReadTranscript(data)
		if err != nil {
			return nil, fmt.Errorf("cannot read the transcript %q: %w", path, err)
		}
		for _, warning := range m.Warnings {
			fmt.Fprintf(status, "%s: %s\n", path, warning)
		}

		list[i] = &m
	}

	return list, nil
}

// fitTranscript puts the transcript of a recording, if it has one, on the time of the recording.
func (c *cutJob) fitTranscript(i int, durationMS int64) error {
	if c.imported[i] == nil {
		return nil
	}
	m, err := subtitle.Fit(*c.imported[i], durationMS)
	if err != nil {
		return fmt.Errorf("cannot use the transcript %q for %s: %w", c.transcripts[i], c.inputs[i], err)
	}
	for _, warning := range m.Warnings[len(c.imported[i].Warnings):] {
		fmt.Fprintf(c.status, "%s: %s\n", c.transcripts[i], warning)
	}

	c.imported[i] = &m
	return nil
}
