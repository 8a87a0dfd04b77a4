package libav

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/audio"
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

// encodedLayout returns the layout that an encoder gets for the channels of a recording, in the
// same order. AAC and AC-3 name the surround speakers of 5.0 and 5.1 differently. A recording may
// leave its speakers unnamed, as WAV and Opus can too, or name them in the order of its container.
func encodedLayout(recorded astiav.ChannelLayout, encoder string) astiav.ChannelLayout {
	usual := recordedLayouts()[recorded.Channels()-1]
	isUnnamed := strings.Contains(recorded.String(), " channels")
	isSide := recorded.Equal(astiav.ChannelLayout5Point0) || recorded.Equal(astiav.ChannelLayout5Point1)
	switch encoder {
	case "pcm_s16le":
		return recorded
	case "libopus":
		isUnnamed = false
	}

	if isSide || isUnnamed {
		return usual
	}
	return recorded
}

// openChannelsEncoder opens the encoder of audio that keeps its channels. Audio in a layout that
// the encoder lacks becomes stereo.
func (r *render) openChannelsEncoder() error {
	at := slices.IndexFunc(r.plan.Segments, func(s media.Segment) bool { return r.plan.Inputs[s.Input].HasAudio })
	if at < 0 {
		return av.ErrChanged()
	}
	input := r.plan.Segments[at].Input
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
	bits, name := int64(exportBitRate/2*r.plan.Channels), r.plan.Format.AudioEncoder
	if r.audio, err = av.NewLayoutEncoder(r.mux, name, encodedLayout(recorded, name), bits); err != nil {
		r.plan.Channels = 0
		r.audio, err = r.newAudioEncoder(r.mux)
	}

	return err
}

// encodeChannels encodes the audio of all segments with its channels as recorded. Each pair of
// channels takes the way of stereo audio; all of them come in equal parts.
func (r *render) encodeChannels() error {
	var guards []*normalizer
	var nexts []func() (av.Stereo, error, bool)
	for pair := range (r.plan.Channels + 1) / 2 {
		guard := newNormalizer(0)
		guard.limiter = audio.NewGuard(guardDB)
		next, stop := iter.Pull2(r.pairParts(pair, guard))
		defer stop()
		guards, nexts = append(guards, guard), append(nexts, next)
	}

	r.tally.measuringDone()
	written := r.counted(r.tally.audioDone)
	for {
		channels := make([][]float32, 0, r.plan.Channels+1)
		for _, next := range nexts {
			part, err, ok := next()
			if err != nil {
				return err
			}
			if ok {
				channels = append(channels, part.Left, part.Right)
			}
		}

		if len(channels) == 0 {
			break
		}
		written(av.Stereo{Left: channels[0], Right: channels[0]})
		if err := r.audio.Write(channels[:r.plan.Channels]...); err != nil {
			return err
		}
	}

	for _, guard := range guards {
		r.loudest = max(r.loudest, guard.limiter.Loudest())
	}
	r.noteLoudest(guards[0])
	return r.audio.Drain()
}

// errStopped ends a pair whose parts are not read any more.
var errStopped = errors.New("stopped")

// pairParts returns the parts of a pair of channels. A part is valid until the next one.
func (r *render) pairParts(pair int, guard *normalizer) iter.Seq2[av.Stereo, error] {
	return func(yield func(av.Stereo, error) bool) {
		emit := func(part av.Stereo) error {
			if part.Len() > 0 && !yield(part, nil) {
				return errStopped
			}
			return nil
		}
		shaper := &shaper{plan: r.plan, fades: append(r.plan.Crossfades(), media.Crossfade{})}
		limited := guard.process(emit)
		err := r.readInputs(r.pairOf(pair), func(part av.Stereo) error {
			shaper.shape(part)
			return limited(part)
		})
		if err == nil {
			err = guard.finish(emit)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(av.Stereo{}, err)
		}
	}
}

// pairOf returns a function that opens the pair of channels of an input.
func (r *render) pairOf(pair int) func(input int) (*av.AudioReader, error) {
	return func(input int) (*av.AudioReader, error) {
		open, err := av.OpenAudio(r.ctx, r.plan.Inputs[input].Path, r.origins[input].Audio, r.heard[input]...)
		if err != nil {
			return nil, err
		}
		open.Track.KeepPair(pair, r.plan.Channels)
		open.ApplyPanLaw()
		return open, nil
	}
}
