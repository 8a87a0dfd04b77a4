// Package detect proposes cuts of a recording: pauses, false starts and fillers, each with a reason
// and a confidence. It also finds profane words and breaks transcripts into caption lines.
//
// The package is pure. MeasureVoice reads the audio once and returns Evidence, from which Edits
// derives proposals for any Settings within milliseconds. All times are clip time in milliseconds.
package detect

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"roughcut/media"
)

// Evidence describes the speech of one clip. It is stored with the analysis as JSON; an hour takes
// less than a megabyte compressed. MeasureVoice leaves Words and Keyframes empty for the caller to
// fill in. Without a speech model, Words stays empty.
type Evidence struct {
	DurationMS int64               `json:"duration_ms"` // of the clip; its audio may be shorter
	Voice      media.VoiceActivity `json:"voice"`
	Words      []media.Word        `json:"words"`                  // aligned with the audio, in order, not overlapping
	Keyframes  []int64             `json:"keyframes_ms,omitempty"` // of the video, in clip time
}

// MeasureVoice measures the voice activity of raw signed 16-bit little-endian mono audio at the
// sample rate of speech models. It reads pcm to its end. durationMS is the duration of the clip, or
// 0 to use that of the audio. progress gets a growing fraction from 0 to 1 and may be nil. The
// measurement takes 4 bytes of memory for each 10 ms. Errors: those of ctx and pcm.
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
			return Evidence{}, fmt.Errorf("reading the speech audio: %w", err)
		}
	}
	progress(1)
	voice := meter.Activity()
	if durationMS <= 0 {
		durationMS = voice.DurationMS
	}
	return Evidence{DurationMS: durationMS, Voice: voice}, nil
}
