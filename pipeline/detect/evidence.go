// Package detect finds what to cut from a recording: pauses, false starts and fillers, each with a
// reason in words and a confidence; and it breaks what was said into caption lines. It is pure: it
// listens once and keeps what it heard as Evidence, from which every later choice of Knobs is
// answered in milliseconds. All times are clip time in milliseconds.
package detect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"roughcut/media"
)

// Evidence is what is known about one clip's sound. It is kept with an analysis as JSON; an hour
// takes well under a megabyte compressed. Words and keyframes are filled in by who knows them;
// without a speech model there are no words.
type Evidence struct {
	DurationMS int64               `json:"duration_ms"` // of the clip; its sound may be shorter
	Voice      media.VoiceActivity `json:"voice"`
	Words      []media.Word        `json:"words"`                  // snapped to the sound, in order, not overlapping
	Keyframes  []int64             `json:"keyframes_ms,omitempty"` // of media.IngestResult
}

// MeasureVoice measures a recording: raw signed 16-bit little-endian mono sound at media.SpeechSampleRate, read
// to its end. durationMS is that of the clip, 0 where only the sound tells. progress, which may be
// nil, is called with rising shares from 0 to 1. Memory is 4 bytes for each 10 ms. It returns the
// context's error when ctx ends, and what reading failed with.
func MeasureVoice(ctx context.Context, pcm io.Reader, durationMS int64, progress func(float64)) (Evidence, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	meter := media.NewVoiceDetector()
	raw, samples := make([]byte, 1<<17), make([]int16, 1<<16)
	heard, total := int64(0), durationMS*media.SpeechSampleRate/1000
	progress(0)
	for {
		if err := ctx.Err(); err != nil {
			return Evidence{}, err
		}
		n, err := io.ReadFull(pcm, raw)
		for i := range n / 2 {
			samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
		}
		meter.Add(samples[:n/2])
		if heard += int64(n / 2); total > 0 {
			progress(min(float64(heard)/float64(total), 1))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return Evidence{}, fmt.Errorf("reading the speech sound: %w", err)
		}
	}
	progress(1)
	voice := meter.Activity()
	if durationMS <= 0 {
		durationMS = voice.DurationMS
	}
	return Evidence{DurationMS: durationMS, Voice: voice}, nil
}
