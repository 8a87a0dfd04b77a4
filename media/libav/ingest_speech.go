package libav

import (
	"io"
	"os"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
)

// speech writes the speech file. It sends the same audio to a listener.
type speech struct {
	path      string
	file      *audio.SpeechWriter
	sender    speechSender
	hearing   hearing
	decimator *decimator
	at        int64 // input samples written
	silent    int64 // input samples at the end that are silence
}

// settleSamples is the length of silence that flushes all earlier audio from the decimator.
const settleSamples = media.SampleRate / 10

func newSpeech(request media.IngestRequest) (*speech, error) {
	file, err := audio.CreateSpeech(request.SpeechPath)
	if err != nil {
		return nil, err
	}
	return &speech{
		path:      request.SpeechPath,
		file:      file,
		sender:    speechSender{to: request.Speech},
		decimator: newDecimator(),
	}, nil
}

func (s *speech) write(part av.Stereo) error {
	at := s.at
	s.at += part.Len()
	if !part.IsSilent() {
		s.silent = 0
	} else if s.silent += part.Len(); s.silent-part.Len() >= settleSamples && part.Len()%decimateStep == 0 {
		n := part.Len() / decimateStep
		s.file.Silence(n)
		s.sender.send(make([]byte, 2*n))
		return nil
	}

	return s.store(s.decimator.add(s.hearing.hear(at, part)))
}

func (s *speech) store(samples []byte) error {
	s.sender.send(samples)
	return s.file.Write(samples)
}

func (s *speech) finish() error { return s.store(s.decimator.finish()) }

// complete ends the speech file after at most the given number of samples.
func (s *speech) complete(most int64) error {
	s.sender.finish(2 * most)
	return s.file.Finish(most)
}

func (s *speech) close(failed bool) {
	_ = s.file.Close() // everything is written, or the ingest has failed
	if failed {
		os.Remove(s.path)
	}
}

// heldBytes is the audio that a speechSender holds back: twice what audio may last longer than the
// video.
const heldBytes = 2 * 2 * media.SpeechSampleRate

// speechSender sends the audio of a speech file to a listener, late enough to leave out what the
// end of the recording cuts off.
type speechSender struct {
	to   io.Writer // nil without a listener, or after it failed
	held []byte
	sent int64 // bytes
	done bool  // the listener got all audio
}

// send takes the next samples.
func (s *speechSender) send(samples []byte) {
	if s.to == nil {
		return
	}
	s.held = append(s.held, samples...)
	if len(s.held) >= 2*heldBytes {
		s.write(len(s.held) - heldBytes)
	}
}

// write sends the first bytes that are held.
func (s *speechSender) write(bytes int) {
	if _, err := s.to.Write(s.held[:bytes]); err != nil {
		s.to = nil
		return
	}

	s.held, s.sent = s.held[:copy(s.held, s.held[bytes:])], s.sent+int64(bytes)
}

// finish sends the rest of the audio, which has at most the given length in bytes.
func (s *speechSender) finish(most int64) {
	if s.to == nil || most < s.sent {
		return
	}
	s.write(int(min(int64(len(s.held)), most-s.sent)))
	s.done = s.to != nil
}
