package libav

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// audioIngest makes everything that an ingest derives from audio: the audio track of the proxy, the
// waveform, the loudness, and the speech file for analysis. close frees it.
type audioIngest struct {
	at     int64         // samples consumed
	proxy  *audioEncoder // nil if no proxy is made
	speech *speech       // nil if no speech file is written
	peaks  peaks
	loud   *media.LoudnessMeter
	part   stereo
}

func newAudioIngest(m *muxer, speechPath string) (l *audioIngest, err error) {
	l = &audioIngest{part: newStereo(4800), loud: media.NewLoudnessMeter()}
	if m != nil {
		if l.proxy, err = newAudioEncoder(m, encoderAAC, proxyBitRate); err != nil {
			return nil, err
		}
	}
	if speechPath != "" {
		if l.speech, err = newSpeech(speechPath); err != nil {
			l.close(true)
			return nil, err
		}
	}
	return l, nil
}

// consume processes the final samples of a timeline.
func (l *audioIngest) consume(ctx context.Context, track *audioTimeline) error {
	for l.at < track.ready() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		part := l.part.cut(0, min(l.part.len(), track.ready()-l.at))
		track.read(l.at, part)
		l.at += part.len()
		track.discard(l.at)
		l.peaks.add(part)
		l.loud.Add(part.left, part.right)
		if l.proxy != nil {
			if err := l.proxy.write(part.left, part.right); err != nil {
				return err
			}
		}
		if l.speech != nil {
			if err := l.speech.write(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// energies returns the loudness of the first durationMS milliseconds.
func (l *audioIngest) energies(durationMS int64) []media.Energy {
	all := l.loud.Energies()
	return all[:min(int64(len(all)), (durationMS+media.EnergyMS-1)/media.EnergyMS)]
}

func (l *audioIngest) finish() error {
	l.peaks.finish()
	if l.proxy != nil {
		if err := l.proxy.finish(); err != nil {
			return err
		}
	}
	if l.speech != nil {
		return l.speech.finish()
	}
	return nil
}

// trim shortens the speech file to the length of the recording, because audio may last a little
// longer than video.
func (l *audioIngest) trim(durationMS int64) error {
	if l.speech == nil {
		return nil
	}
	if most := durationMS * media.SpeechSampleRate / 1000; l.speech.wrote > most {
		if err := l.speech.file.Truncate(2 * most); err != nil {
			return fmt.Errorf("writing the speech file: %w", err)
		}
	}
	return nil
}

// close frees l and removes the speech file of a failed ingest.
func (l *audioIngest) close(failed bool) {
	if l.proxy != nil {
		l.proxy.close()
	}
	if l.speech != nil {
		l.speech.close(failed)
	}
}

// peaks collects the waveform.
type peaks struct {
	values []byte
	top    float32
	filled int // samples in top
}

func (p *peaks) add(part stereo) {
	const each = media.SampleRate / media.PeaksPerSecond
	for part.len() > 0 {
		n := min(part.len(), int64(each-p.filled))
		for _, side := range [2][]float32{part.left[:n], part.right[:n]} {
			for _, v := range side {
				if v > p.top {
					p.top = v
				} else if -v > p.top {
					p.top = -v
				}
			}
		}
		if p.filled += int(n); p.filled == each {
			p.finish()
		}
		part = part.cut(n, part.len())
	}
}

func (p *peaks) finish() {
	if p.filled > 0 {
		p.values = append(p.values, byte(min(255, p.top*255+0.5)))
	}
	p.top, p.filled = 0, 0
}

// until returns the waveform of the first durationMS milliseconds.
func (p *peaks) until(durationMS int64) []byte {
	const each = 1000 / media.PeaksPerSecond
	return p.values[:min(int64(len(p.values)), (durationMS+each-1)/each)]
}

// speech writes raw 16-bit mono audio at media.SpeechSampleRate.
type speech struct {
	file    *os.File
	out     *bufio.Writer
	context *astiav.SoftwareResampleContext
	in, got *astiav.Frame
	wrote   int64 // samples written
	silent  int64 // bytes of silence that are not written yet
	given   int64 // input samples, at media.SampleRate
}

func newSpeech(path string) (*speech, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the speech file: %w", err)
	}
	s := &speech{
		file:    file,
		out:     bufio.NewWriterSize(file, 64<<10),
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
	s.in.Unref()
	s.in.SetNbSamples(int(part.len()))
	s.in.SetSampleFormat(astiav.SampleFormatFltp)
	s.in.SetSampleRate(media.SampleRate)
	s.in.SetChannelLayout(astiav.ChannelLayoutStereo)
	if err := s.in.AllocBuffer(0); err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	copy(planeFloats(s.in, 0), part.left)
	copy(planeFloats(s.in, 1), part.right)
	s.given += part.len()
	return s.convert(s.in)
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
	return s.store(packedInt16(s.got)[:2*n])
}

// silentRun is the length in bytes from which on silence becomes a hole in the file: it reads as
// silence, but takes no space on the disk.
const silentRun = 64 << 10

// store appends samples to the file.
func (s *speech) store(samples []byte) error {
	if len(bytes.TrimLeft(samples, "\x00")) == 0 {
		s.silent += int64(len(samples))
		return nil
	}
	err := s.endSilence()
	if err == nil {
		_, err = s.out.Write(samples)
	}
	if err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	return nil
}

// endSilence writes the pending silence.
func (s *speech) endSilence() error {
	pending := s.silent
	s.silent = 0
	if pending < silentRun {
		_, err := s.out.Write(make([]byte, pending))
		return err
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	_, err := s.file.Seek(pending, io.SeekCurrent)
	return err
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
	hole := s.silent >= silentRun
	err := s.endSilence()
	if err == nil {
		err = s.out.Flush()
	}
	if err == nil && hole {
		err = s.file.Truncate(2 * s.wrote)
	}
	if err != nil {
		return fmt.Errorf("writing the speech file: %w", err)
	}
	return nil
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
	s.file.Close()
	if failed {
		os.Remove(s.file.Name())
	}
}
