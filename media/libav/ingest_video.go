package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// longTailMS is how much longer than the video the audio must be for the last frame to be held
// until it ends.
const longTailMS = 1000

// decodeVideo decodes all frames in order and places them on the grid of the proxy.
func (in *ingest) decodeVideo(packets *packetQueue, to chan<- timedFrame) error {
	t := in.source.Video
	d, err := av.NewDecoder(in.source, t, in.engine.decodeThreads())
	if err != nil {
		return err
	}
	defer d.Close()
	fields := av.NewDeinterlacer(in.engine.threads)
	defer fields.Close()
	s := &scheduler{
		in:     in,
		grid:   av.NewGrid(t, in.survey.Origin, in.info.Video.Rate),
		orient: av.TrackOrientation(t),
		to:     to,
	}
	defer s.close()
	for {
		f := astiav.AllocFrame()
		err := fields.Next(f, t.Base, func(f *astiav.Frame) error { return in.nextFrame(d, packets, f) })
		if errors.Is(err, io.EOF) {
			f.Free()
			return s.finish()
		}

		if err == nil {
			err = s.add(f)
		} else {
			f.Free()
		}

		if err != nil {
			return err
		}
	}
}

// nextFrame decodes the next frame from packets.
func (in *ingest) nextFrame(d *av.Decoder, packets *packetQueue, f *astiav.Frame) error {
	for {
		ok, err := d.Receive(f)
		if ok || err != nil {
			return err
		}
		p, more := packets.next()
		if !more {
			if err := context.Cause(in.ctx); err != nil {
				return err
			}
			d.Send(nil)
			continue
		}

		d.Send(p)
		p.Free()
	}
}

// scheduler holds each frame back until the next one shows how long it is displayed.
type scheduler struct {
	in     *ingest
	grid   av.Grid
	orient av.Orientation
	to     chan<- timedFrame
	held   av.PlacedFrame
	at     int64 // the first grid frame that is not sent yet
}

// add takes ownership of a decoded frame.
func (s *scheduler) add(f *astiav.Frame) error {
	index, end, ok := s.grid.Place(f)
	if !ok || (s.held.Frame != nil && index < s.held.Index) {
		f.Free()
		return nil
	}

	if err := av.TooLong(index, s.grid); err != nil {
		f.Free()
		return err
	}

	if s.held.Frame == nil {
		s.held = av.PlacedFrame{Frame: f, Index: index, End: end}
		return nil
	}

	if index > s.held.Index+1 {
		s.in.uneven = s.in.uneven || index > s.held.End
	}
	err := s.emit(index)
	s.held = av.PlacedFrame{Frame: f, Index: index, End: end}
	return err
}

// emit sends the held frame for the grid frames before until, and gives up ownership of it.
func (s *scheduler) emit(until int64) error {
	f := s.held.Frame
	s.held.Frame = nil
	if until <= s.at {
		f.Free()
		return nil
	}

	count := until - s.at
	s.at = until
	if s.in.seconds > 0 {
		s.in.meter.Beat(min(0.98, float64(until)*s.grid.Frame.Float64()/s.in.seconds))
	}
	s.in.meter.Alive()
	return sendFrame(s.in.ctx, s.to, timedFrame{frame: f, orient: s.orient, count: count})
}

func (s *scheduler) finish() error {
	if s.held.Frame == nil {
		return av.Errorf("the video of this recording cannot be decoded: it is damaged; upload it again")
	}
	end, err := s.in.extendToAudio(max(s.held.End, s.held.Index+1, s.at+1))
	if err != nil {
		return err
	}
	return s.emit(end)
}

// extendToAudio waits for the end of the audio and returns the length of the recording in frames.
// end is the length of the video.
func (in *ingest) extendToAudio(end int64) (int64, error) {
	select {
	case <-in.audioDone:
	case <-in.ctx.Done():
		return 0, context.Cause(in.ctx)
	}

	rate := in.info.Video.Rate
	if audioEnd := rate.Frame(in.samples * 1000 / media.SampleRate); audioEnd > end+rate.Frame(longTailMS) {
		end = audioEnd
	}
	return end, nil
}

func (s *scheduler) close() {
	if s.held.Frame != nil {
		s.held.Frame.Free()
	}
}

// convertFrames scales frames to the size of the proxy and takes the tiles of the sprite sheet.
func (in *ingest) convertFrames(from <-chan timedFrame, to chan<- timedFrame) error {
	p := av.NewFrameConverter(proxyCanvas(in.info.Video), in.engine.threads)
	defer p.Close()
	at := int64(0)
	for s := range from {
		converted, err := convertTimed(p, s)
		if err != nil {
			return err
		}
		if in.frameMotion != nil {
			in.frameMotion.add(converted, at)
		}
		in.screen.addProxy(converted, at+s.count)
		if in.sprite != nil {
			if err := in.sprite.addTiles(timedFrame{frame: converted, count: s.count}, at); err != nil {
				converted.Free()
				return err
			}
		}

		at += s.count
		if err := sendFrame(in.ctx, to, timedFrame{frame: converted, count: s.count}); err != nil {
			return err
		}
	}

	return nil
}

// encodeVideo writes the video of the proxy, and counts the frames of the recording.
func (in *ingest) encodeVideo(frames <-chan timedFrame) error {
	rate, step := proxyRate(in.info.Video.Rate), proxyStep(in.info.Video.Rate)
	every, moving := max(1, rate.Num*proxyKeyframeMS/(1000*rate.Den)), max(1, step*rate.Frame(proxyMovingMS))
	next := int64(0) // the next keyframe of the proxy that does not wait for the encoder
	for s := range frames {
		for repeat := range s.count {
			err := context.Cause(in.ctx)
			if err == nil && in.video != nil && in.frames%step == 0 {
				at := in.frames / step
				s.frame.SetPictureType(astiav.PictureTypeNone)
				if at >= next && repeat < moving {
					s.frame.SetPictureType(astiav.PictureTypeI)
					next = at + every
				}

				s.frame.SetPts(at)
				err = in.video.Encode(s.frame)
				if err == nil && in.video.Hardware != nil {
					err = in.witnesses.Add(at, s.frame)
				}
			}

			if err != nil {
				s.frame.Free()
				return err
			}

			in.frames++
		}

		s.frame.Free()
	}

	if err := context.Cause(in.ctx); err != nil {
		return err
	}
	if in.video != nil {
		return in.video.Finish()
	}
	return nil
}
