package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect"
)

// Ears measures the voice activity of recordings; see detect.MeasureVoice.
type Ears interface {
	// Hear measures the voice activity of a speech file.
	Hear(ctx context.Context, path string, durationMS int64, progress func(float64)) (detect.Evidence, error)
	// IngestAndHear is like Ingester.Ingest, but also measures the voice activity of the speech
	// file while the audio is decoded. evidence is nil if the measurement failed. Hear may still
	// succeed then.
	IngestAndHear(
		ctx context.Context, request media.IngestRequest, progress func(float64),
	) (result media.IngestResult, evidence *detect.Evidence, err error)
}

// LocalEars measures voice activity in this process.
type LocalEars struct{ Engine Ingester }

// Hear implements Ears.
func (LocalEars) Hear(
	ctx context.Context,
	path string,
	durationMS int64,
	progress func(float64),
) (detect.Evidence, error) {
	file, err := audio.OpenSpeech(path)
	if err != nil {
		return detect.Evidence{}, err
	}
	evidence, err := detect.MeasureVoice(ctx, file.Reader(), durationMS, progress)
	return evidence, errors.Join(err, file.Close())
}

// IngestAndHear implements Ears.
func (e LocalEars) IngestAndHear(
	ctx context.Context,
	request media.IngestRequest,
	progress func(float64),
) (result media.IngestResult, evidence *detect.Evidence, err error) {
	hearing, stop := context.WithCancel(ctx)
	defer stop()
	audio := newAudioStream()
	var heard detect.Evidence
	var deaf error
	var listener sync.WaitGroup
	listener.Go(func() {
		defer close(audio.gone)
		defer func() {
			if fault := recover(); fault != nil {
				deaf = fmt.Errorf("panic: %v", fault) // only an analysis fails with this, not the clip
			}
		}()
		heard, deaf = detect.MeasureVoice(hearing, audio, 0, nil)
	})
	request.Speech = audio
	err = func() (err error) {
		defer func() {
			if err != nil || !result.SpeechSent { // also if the engine panics
				stop()
			}
			close(audio.parts)
			listener.Wait()
		}()
		result, err = e.Engine.Ingest(ctx, request, progress)
		return err
	}()
	if err != nil || !result.SpeechSent || deaf != nil {
		return result, nil, err
	}
	heard.DurationMS = result.Info.DurationMS
	return result, &heard, nil
}

// audioStream passes audio from an ingest to a listener. The ingest may run ahead by a few parts.
type audioStream struct {
	parts chan []byte
	rest  []byte        // unread bytes of the current part
	gone  chan struct{} // closed when the listener has ended
}

// partsAhead is how many parts the ingest may be ahead of the listener. A part is a few seconds
// long.
const partsAhead = 16

func newAudioStream() *audioStream {
	return &audioStream{parts: make(chan []byte, partsAhead), gone: make(chan struct{})}
}

// Write implements io.Writer. It fails once the listener has ended.
func (s *audioStream) Write(p []byte) (int, error) {
	select {
	case s.parts <- append([]byte(nil), p...):
		return len(p), nil
	case <-s.gone:
		return 0, io.ErrClosedPipe
	}
}

// Read implements io.Reader.
func (s *audioStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		part, ok := <-s.parts
		if !ok {
			return 0, io.EOF
		}
		s.rest = part
	}

	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// clipsHeard is how many clips a hearingMemory holds. The evidence of an hour takes about a
// megabyte.
const clipsHeard = 16

// hearingMemory caches the evidence of clip files, the oldest first, so that analyses need not
// measure it again. It is empty when the process starts. It is safe for concurrent use.
type hearingMemory struct {
	mu    sync.Mutex
	clips []heardClip
}

type heardClip struct {
	fileID   string
	evidence *detect.Evidence
}

// add replaces the cached evidence of a clip file. If evidence is nil, add only removes it.
func (m *hearingMemory) add(fileID string, evidence *detect.Evidence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clips = slices.DeleteFunc(m.clips, func(c heardClip) bool { return c.fileID == fileID })
	if evidence == nil {
		return
	}
	if len(m.clips) == clipsHeard {
		m.clips = slices.Delete(m.clips, 0, 1)
	}
	m.clips = append(m.clips, heardClip{fileID, evidence})
}

// of returns the cached evidence of a clip file with the given duration, or nil. Callers must not
// change it.
func (m *hearingMemory) of(fileID string, durationMS int64) *detect.Evidence {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.clips {
		if c.fileID == fileID && c.evidence.DurationMS == durationMS {
			return c.evidence
		}
	}

	return nil
}
