package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Lengths in samples at media.SampleRate. Decoding starts runUpSamples before the target of a seek,
// because codecs need a run-up. Up to reachSamples, decoding ahead is cheaper than a seek.
const (
	runUpSamples = media.SampleRate * 3 / 10
	reachSamples = media.SampleRate * 2
)

// audioReader reads a recording's audio at any position. It decodes forward, and seeks when that is
// cheaper. close frees it.
type audioReader struct {
	ctx    context.Context
	path   string
	reader *reader
	track  *audioTimeline
	frame  *astiav.Frame
	fresh  bool // nothing was read yet
}

// openAudio opens the audio of a recording whose clip time 0 is at start, in the time base of the
// track.
func openAudio(ctx context.Context, path string, start int64) (*audioReader, error) {
	r, err := openAudioDecoder(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &audioReader{
		ctx:    ctx,
		path:   path,
		reader: r,
		track:  newAudioTimeline(r.track, start),
		frame:  astiav.AllocFrame(),
		fresh:  true,
	}
	s.track.begin()
	return s, nil
}

func openAudioDecoder(ctx context.Context, path string) (*reader, error) {
	s, t, err := openTrack(ctx, path, astiav.MediaTypeAudio)
	if err != nil {
		return nil, err
	}
	return newReader(s, t, 1)
}

// read copies the samples from a position on into out. It fills gaps in the recording with silence.
func (s *audioReader) read(from int64, out stereo) error {
	if (from < s.track.start && !s.fresh) || (from > s.track.end()+reachSamples && !s.track.ended) {
		if err := s.seek(from - runUpSamples); err != nil {
			return err
		}
	}

	s.fresh = false
	for !s.track.ended && s.track.ready() < from+out.len() {
		s.track.discard(from)
		if err := s.pull(); err != nil {
			return err
		}
	}

	s.track.discard(from)
	s.track.read(from, out)
	return nil
}

// pull decodes one frame.
func (s *audioReader) pull() error {
	err := s.reader.next(s.frame)
	if errors.Is(err, io.EOF) {
		return s.track.finish()
	}
	if err != nil {
		return err
	}
	defer s.frame.Unref()
	if framePTS(s.frame) != noPTS && framePTS(s.frame) < s.reader.keyPTS {
		return nil
	}
	return s.track.push(s.frame)
}

// seek continues decoding at or before a position, or at the start if the container cannot seek.
func (s *audioReader) seek(to int64) error {
	s.track.restart()
	pts := s.track.origin + astiav.RescaleQ(to, astiav.NewRational(1, media.SampleRate), s.track.base)
	if to > 0 {
		if err := s.reader.seek(pts); err == nil || s.ctx.Err() != nil {
			return err
		}
	}

	r, err := openAudioDecoder(s.ctx, s.path)
	if err != nil {
		return err
	}
	s.reader.close()
	s.reader = r
	s.track.begin()
	return nil
}

func (s *audioReader) close() {
	s.frame.Free()
	s.track.close()
	s.reader.close()
}
