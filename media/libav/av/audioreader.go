package av

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

// AudioReader reads a recording's audio at any position. It decodes forward, and seeks when that is
// cheaper. Close frees it.
type AudioReader struct {
	ctx    context.Context
	path   string
	reader *reader
	Track  *AudioTimeline
	frame  *astiav.Frame
	fresh  bool // nothing was read yet

	heard  []int          // the track that is read, as in Open
	others []*AudioReader // of the further tracks of a mix
	part   Stereo         // of one of them
	spread int            // 1 + the channel of Spread; 0 without
	gain   float32        // of Spread

	frames  int // that were decoded
	refused int // packets and frames that closed decoders could not decode
}

// OpenAudio opens the audio of a recording whose clip time 0 is at start, in the time base of the
// first track that is heard. It mixes several tracks at equal levels. heard is as in Open.
func OpenAudio(ctx context.Context, path string, start int64, heard ...int) (*AudioReader, error) {
	s, err := openAudioTrack(ctx, path, start, heard[:min(1, len(heard))])
	if err != nil {
		return nil, err
	}
	for _, number := range heard[min(1, len(heard)):] {
		other, err := openAudioTrack(ctx, path, 0, []int{number})
		if err != nil {
			s.Close()
			return nil, err
		}

		other.Track.origin = astiav.RescaleQ(start, s.Track.base, other.Track.base)
		s.others = append(s.others, other)
	}

	return s, nil
}

func openAudioTrack(ctx context.Context, path string, start int64, heard []int) (*AudioReader, error) {
	r, err := openAudioDecoder(ctx, path, heard)
	if err != nil {
		return nil, err
	}
	s := &AudioReader{
		ctx:    ctx,
		path:   path,
		reader: r,
		Track:  NewAudioTimeline(r.track, start),
		frame:  astiav.AllocFrame(),
		fresh:  true,
		heard:  heard,
	}
	s.Track.Begin()
	return s, nil
}

func openAudioDecoder(ctx context.Context, path string, heard []int) (*reader, error) {
	s, t, err := openTrack(ctx, path, astiav.MediaTypeAudio, heard)
	if err != nil {
		return nil, err
	}
	return newReader(s, t, 1)
}

// Spread makes Read return one channel, 0 or 1, on both sides, with a linear gain.
func (s *AudioReader) Spread(channel int, gain float64) {
	s.spread, s.gain = 1+channel, float32(gain)
}

// ApplyPanLaw is AudioTimeline.ApplyPanLaw for each track.
func (s *AudioReader) ApplyPanLaw() {
	s.Track.ApplyPanLaw()
	for _, other := range s.others {
		other.ApplyPanLaw()
	}
}

// Read copies the samples from a position on into out. It fills gaps in the recording with silence.
func (s *AudioReader) Read(from int64, out Stereo) error {
	if err := s.read(from, out); err != nil || len(s.others) == 0 {
		return err
	}
	if s.part.Len() < out.Len() {
		s.part = NewStereo(out.Len())
	}
	for _, other := range s.others {
		part := s.part.Cut(0, out.Len())
		if err := other.read(from, part); err != nil {
			return err
		}
		for i := range part.Left {
			out.Left[i] += part.Left[i]
			out.Right[i] += part.Right[i]
		}
	}

	return nil
}

// End returns the end of the samples that are decoded so far, and whether all tracks have ended.
func (s *AudioReader) End() (end int64, ended bool) {
	end, ended = s.Track.end(), s.Track.ended
	for _, other := range s.others {
		otherEnd, otherEnded := other.End()
		end, ended = max(end, otherEnd), ended && otherEnded
	}

	return end, ended
}

// Damaged reports whether hardly anything of the first track could be decoded so far. In a damaged
// track, a few frames pass by chance.
func (s *AudioReader) Damaged() bool {
	const byChance = 20 // packets for a frame
	return s.refused+s.reader.decoder.Refused > byChance*s.frames
}

func (s *AudioReader) read(from int64, out Stereo) error {
	if (from < s.Track.start && !s.fresh) || (from > s.Track.end()+reachSamples && !s.Track.ended) {
		if err := s.seek(from - runUpSamples); err != nil {
			return err
		}
	}

	s.fresh = false
	for !s.Track.ended && s.Track.Ready() < from+out.Len() {
		s.Track.Discard(from)
		if err := s.pull(); err != nil {
			return err
		}
	}

	s.Track.Discard(from)
	s.Track.Read(from, out)
	switch s.spread {
	case 1:
		copy(out.Right, out.Left)
		out.Scale(s.gain)
	case 2:
		copy(out.Left, out.Right)
		out.Scale(s.gain)
	}

	return nil
}

// pull decodes one frame.
func (s *AudioReader) pull() error {
	err := s.reader.next(s.frame)
	if errors.Is(err, io.EOF) {
		return s.Track.Finish()
	}
	if err != nil {
		return err
	}
	s.frames++
	defer s.frame.Unref()
	if framePTS(s.frame) != NoPTS && framePTS(s.frame) < s.reader.keyPTS {
		return nil
	}
	return s.Track.Push(s.frame)
}

// seek continues decoding at or before a position, or at the start if the container cannot seek.
func (s *AudioReader) seek(to int64) error {
	s.Track.restart()
	pts := s.Track.origin + astiav.RescaleQ(to, astiav.NewRational(1, media.SampleRate), s.Track.base)
	if to > 0 {
		if err := s.reader.seek(pts); err == nil || s.ctx.Err() != nil {
			return err
		}
	}

	r, err := openAudioDecoder(s.ctx, s.path, s.heard)
	if err != nil {
		return err
	}
	s.refused += s.reader.decoder.Refused
	s.reader.close()
	s.reader = r
	s.Track.Begin()
	return nil
}

// Close frees the reader.
func (s *AudioReader) Close() {
	for _, other := range s.others {
		other.Close()
	}
	s.frame.Free()
	s.Track.Close()
	s.reader.close()
}
