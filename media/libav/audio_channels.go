package libav

import (
	"context"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// recordedLayouts are the usual speakers of 1 to media.MaxChannels channels, in the layouts of AAC.
func recordedLayouts() [media.MaxChannels]astiav.ChannelLayout {
	return [...]astiav.ChannelLayout{
		astiav.ChannelLayoutMono, astiav.ChannelLayoutStereo, astiav.ChannelLayoutSurround, astiav.ChannelLayout4Point0,
		astiav.ChannelLayout5Point0Back, astiav.ChannelLayout5Point1Back, astiav.ChannelLayout6Point1,
		astiav.ChannelLayout7Point1,
	}
}

// encodedLayout returns the AAC layout with the channels of a recording, in the same order. AAC and
// AC-3 name the surround speakers of 5.0 and 5.1 differently. A recording may leave its speakers
// unnamed, or name them in the order of its container.
func encodedLayout(recorded astiav.ChannelLayout) astiav.ChannelLayout {
	usual := recordedLayouts()[recorded.Channels()-1]
	if recorded.Equal(astiav.ChannelLayout5Point0) || recorded.Equal(astiav.ChannelLayout5Point1) ||
		strings.Contains(recorded.String(), " channels") {
		return usual
	}

	return recorded
}

// openChannelsEncoder opens the encoder of audio that keeps its channels. Audio in a layout that
// the encoder lacks becomes stereo.
func (r *render) openChannelsEncoder() error {
	input := r.plan.Segments[0].Input
	source, err := av.Open(r.ctx, r.plan.Inputs[input].Path, r.heard[input]...)
	if err != nil {
		return err
	}
	defer source.Close()
	if source.Audio == nil {
		return av.ErrChanged()
	}
	recorded := source.Audio.Params.ChannelLayout()
	if recorded.Channels() != r.plan.Channels {
		return av.ErrChanged()
	}
	bits := int64(exportBitRate / 2 * r.plan.Channels)
	if r.audio, err = av.NewLayoutEncoder(r.mux, av.EncoderAAC, encodedLayout(recorded), bits); err != nil {
		r.plan.Channels = 0
		r.audio, err = r.newAudioEncoder(r.mux)
	}

	return err
}

// encodeChannels encodes the audio of the only segment with its channels as recorded.
func (r *render) encodeChannels() error {
	input := r.plan.Segments[0].Input
	var pairs []*av.AudioReader
	defer func() {
		for _, p := range pairs {
			p.Close()
		}
	}()
	var parts []av.Stereo
	for pair := range (r.plan.Channels + 1) / 2 {
		open, err := r.openAudio(input)
		if err != nil {
			return err
		}
		open.Track.KeepPair(pair, r.plan.Channels)
		pairs, parts = append(pairs, open), append(parts, av.NewStereo(mixChunk))
	}

	r.tally.measuringDone()
	total := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	for at := int64(0); at < total; at += mixChunk {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.meter.Alive()
		var channels [][]float32
		for i, p := range pairs {
			part := parts[i].Cut(0, min(mixChunk, total-at))
			if err := p.Read(at, part); err != nil {
				return err
			}
			channels = append(channels, part.Left, part.Right)
		}

		if err := r.audio.Write(channels[:r.plan.Channels]...); err != nil {
			return err
		}
		r.tally.audioDone(float64(min(total, at+mixChunk)) / float64(total))
	}

	return r.audio.Drain()
}
