package libav

import (
	"context"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// recordedLayouts are the usual speakers of 1 to media.MaxChannels channels, in the layouts of AAC.
func recordedLayouts() [media.MaxChannels]astiav.ChannelLayout {
	return [...]astiav.ChannelLayout{
		astiav.ChannelLayoutMono, astiav.ChannelLayoutStereo, astiav.ChannelLayoutSurround, astiav.ChannelLayout4Point0,
		astiav.ChannelLayout5Point0Back, astiav.ChannelLayout5Point1Back, astiav.ChannelLayout6Point1,
		astiav.ChannelLayout7Point1,
	}
}

// encodedLayout returns the layout in which AAC has the channels of a recording, in the same order.
// AAC names the surround speakers of 5.0 and 5.1 otherwise than AC-3. A recording may not name its
// speakers, or name them in an order of its container.
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
	source, err := openUntrusted(r.ctx, r.plan.Inputs[input].Path)
	if err != nil {
		return err
	}
	defer source.close()
	if source.audio == nil {
		return errChanged()
	}
	recorded := source.audio.params.ChannelLayout()
	if recorded.Channels() != r.plan.Channels {
		return errChanged()
	}
	bits := int64(exportBitRate / 2 * r.plan.Channels)
	if r.audio, err = newLayoutEncoder(r.mux, encoderAAC, encodedLayout(recorded), bits); err != nil {
		r.plan.Channels = 0
		r.audio, err = newAudioEncoder(r.mux, encoderAAC, exportBitRate)
	}

	return err
}

// encodeChannels encodes the audio of the only segment with its channels as recorded.
func (r *render) encodeChannels() error {
	input := r.plan.Segments[0].Input
	var pairs []*audioReader
	defer func() {
		for _, p := range pairs {
			p.close()
		}
	}()
	var parts []stereo
	for pair := range (r.plan.Channels + 1) / 2 {
		open, err := openAudio(r.ctx, r.plan.Inputs[input].Path, r.origins[input].audio)
		if err != nil {
			return err
		}
		open.track.keepPair(pair, r.plan.Channels)
		pairs, parts = append(pairs, open), append(parts, newStereo(mixChunk))
	}

	r.tally.measuringDone()
	total := r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)
	for at := int64(0); at < total; at += mixChunk {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.meter.alive()
		var channels [][]float32
		for i, p := range pairs {
			part := parts[i].cut(0, min(mixChunk, total-at))
			if err := p.read(at, part); err != nil {
				return err
			}
			channels = append(channels, part.left, part.right)
		}

		if err := r.audio.write(channels[:r.plan.Channels]...); err != nil {
			return err
		}
		r.tally.audioDone(float64(min(total, at+mixChunk)) / float64(total))
	}

	return r.audio.drain()
}
