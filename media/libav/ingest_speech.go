package libav

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// speech writes the speech file. It sends the same audio to a listener.
type speech struct {
	path    string
	file    *media.SpeechWriter
	sender  speechSender
	context *astiav.SoftwareResampleContext
	in, got *astiav.Frame
	room    int   // samples for which the memory of in suffices
	wrote   int64 // samples written
	given   int64 // input samples, at media.SampleRate
	silent  int64 // input samples at the end that are silence
}

// resampleEvery is the number of input samples for each output sample. After settleSamples of
// silence the resampler gives only silence.
const (
	resampleEvery = media.SampleRate / media.SpeechSampleRate
	settleSamples = media.SampleRate / 10
)

func newSpeech(request media.IngestRequest) (*speech, error) {
	file, err := media.CreateSpeech(request.SpeechPath)
	if err != nil {
		return nil, err
	}
	s := &speech{
		path:    request.SpeechPath,
		sender:  speechSender{to: request.Speech},
		file:    file,
		context: astiav.AllocSoftwareResampleContext(),
		in:      astiav.AllocFrame(),
		got:     astiav.AllocFrame(),
	}
	if s.context == nil || s.in == nil || s.got == nil {
		s.close(true)
		return nil, errors.New("cannot allocate a resampler")
	}
	return s, nil
}

func (s *speech) write(part stereo) error {
	if !part.isSilent() {
		s.silent = 0
	} else if s.silent += part.len(); s.silent-part.len() >= settleSamples && part.len()%resampleEvery == 0 {
		s.given += part.len()
		s.wrote += part.len() / resampleEvery
		s.file.Silence(part.len() / resampleEvery)
		s.sender.send(make([]byte, 2*part.len()/resampleEvery))
		return nil
	}
	if err := s.fit(int(part.len())); err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	copy(planeFloats(s.in, 0), part.left)
	copy(planeFloats(s.in, 1), part.right)
	s.given += part.len()
	return s.convert(s.in)
}

// fit makes room for a number of samples in the input frame. It keeps the memory of longer frames,
// which the resampler has read.
func (s *speech) fit(samples int) error {
	if samples > s.room {
		s.in.Unref()
		s.in.SetNbSamples(samples)
		s.in.SetSampleFormat(astiav.SampleFormatFltp)
		s.in.SetSampleRate(media.SampleRate)
		s.in.SetChannelLayout(astiav.ChannelLayoutStereo)
		if err := s.in.AllocBuffer(0); err != nil {
			return err
		}
		s.room = samples
	}
	s.in.SetNbSamples(samples)
	return nil
}

// convert resamples a frame, nil at the end, and writes the output.
func (s *speech) convert(in *astiav.Frame) error {
	s.got.Unref()
	s.got.SetSampleFormat(astiav.SampleFormatS16)
	s.got.SetSampleRate(media.SpeechSampleRate)
	s.got.SetChannelLayout(astiav.ChannelLayoutMono)
	if err := s.context.ConvertFrame(in, s.got); err != nil {
		return fmt.Errorf("resampling: %w", err)
	}
	if s.got.NbSamples() == 0 {
		return nil
	}
	n := min(int64(s.got.NbSamples()), s.limit()-s.wrote)
	s.wrote += n
	samples := packedInt16(s.got)[:2*n]
	s.sender.send(samples)
	return s.file.Write(samples)
}

// limit returns the length of the input at media.SpeechSampleRate.
func (s *speech) limit() int64 {
	return (s.given*media.SpeechSampleRate + media.SampleRate - 1) / media.SampleRate
}

func (s *speech) finish() error {
	for before := int64(-1); s.given > 0 && before != s.wrote; {
		before = s.wrote
		if err := s.convert(nil); err != nil {
			return err
		}
	}
	return nil
}

// complete ends the speech file after at most the given number of samples.
func (s *speech) complete(most int64) error {
	s.sender.finish(2 * most)
	return s.file.Finish(most)
}

func (s *speech) close(failed bool) {
	if s.context != nil {
		s.context.Free()
	}
	if s.in != nil {
		s.in.Free()
	}
	if s.got != nil {
		s.got.Free()
	}
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
