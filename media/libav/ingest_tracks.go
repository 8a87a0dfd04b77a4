package libav

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/voicenet"
)

// Listening to a file with several audio tracks. It hears parts of each track that are spread over
// the recording, all of a short one.
const (
	listenPart  = 10 * media.SampleRate
	listenStep  = 31 * hearingWindow // that are read at once; about a second
	listenParts = 120                // of all tracks together; at most half of them of one

	voiceWindow = 128 // of 255: least probability of a window with voice
	voiceRun    = 8   // windows in a row that are voice; 256 ms
	// Least voice of a track with speech: a number of windows, and a share of those heard. Music
	// has a few windows by chance.
	speechWindows = 32
	speechShare   = 0.005
	clearSpeech   = 160 // windows of voice after which listening ends
	// rivalShare is the least voice of the track that is heard, as a share of the voice of the one
	// that has most. Tones that begin suddenly pass for voice for a while.
	rivalShare = 1.0 / 3

	// clearWindow is the least probability of a window with clear voice, of 255. Tones, noise and
	// instruments have no run of such windows; the cry of an animal has one.
	clearWindow = 200
	clearPhrase = 2 * voiceRun // windows of clear voice in a track with speech
	// ownVoice is the least part of a run of voice that is not crosstalk.
	ownVoice = 1.0 / 3

	silentLevel = 1e-4 // -80 dBFS

	// A channel for low frequencies ends at 120 Hz. brightShare is the least part of the power of a
	// voice that passes brightPoles filters at brightHz: voices have .09 to .25, what is left of
	// them below 120 Hz .01.
	brightHz    = 300
	brightPoles = 3
	brightShare = 0.03
)

// chooseTracks chooses the audio tracks that are heard. Without a choice in the request, it is the
// first track with much of the speech, or else the first one that is not silent. The default track
// comes first.
func (in *ingest) chooseTracks(s *av.Source) error {
	if in.info.Audio == nil || len(in.info.AudioTracks) < 2 {
		if slices.ContainsFunc(in.request.Tracks, func(number int) bool { return number > 0 }) {
			return av.Errorf("the recording has no choice of audio tracks; leave it out")
		}
		if in.info.Audio == nil || in.request.SpeechPath == "" {
			return nil
		}
		_, err := in.listen(s, 0)
		return err
	}

	in.heard = in.info.HeardTracks()
	isChosen := len(in.request.Tracks) > 0
	if in.request.SpeechPath != "" && (!isChosen || in.request.Listen) {
		number, err := in.listen(s, in.heard[0])
		if err != nil {
			return err
		}
		in.heard = []int{number}
	}

	if isChosen {
		in.heard = in.request.Tracks
	}

	if err := in.info.Hear(in.heard); err != nil {
		return av.Errorf("%v", err)
	}
	return in.survey.Hear(s, in.heard[0])
}

// listen notes which tracks have speech. It returns the track that is heard without a choice.
func (in *ingest) listen(s *av.Source, usual int) (number int, err error) {
	var order []*ear // of the tracks that can be heard, the usual one first
	var damaged []int
	tracks := in.info.AudioTracks
	for i := range tracks {
		t := &tracks[i]
		if t.Undecodable {
			continue
		}
		e := &ear{in: in, number: i, parts: min(listenParts/2, listenParts/int64(len(tracks)))}
		if err := e.listen(s); err != nil {
			return 0, err
		}
		switch {
		case e.damaged && !slices.Contains(in.request.Tracks, i):
			damaged = append(damaged, i)
		case i == usual:
			order = slices.Insert(order, 0, e)
		default:
			order = append(order, e)
		}
	}

	if len(order) == 0 {
		return usual, nil
	}
	for _, i := range damaged {
		tracks[i].Undecodable = true
	}

	most := 0.0
	for _, e := range order {
		most = max(most, e.share())
	}
	rivals := func(e *ear) bool { return e.speaks() && e.share() >= rivalShare*most }
	for _, e := range order {
		if e.hears {
			speech := rivals(e) || e.phrase >= clearPhrase
			tracks[e.number].Speech = &speech
		}
	}

	at := slices.IndexFunc(order, rivals)
	if at < 0 {
		at = slices.IndexFunc(order, func(e *ear) bool { return e.loud })
	}
	return order[max(0, at)].number, nil
}

// findMicrophones notes that the channels are microphones if the one for low frequencies has a
// voice. Recorders and editors name the usual speakers for a number of channels, whatever they
// hold.
func (in *ingest) findMicrophones(s *av.Source) error {
	a := in.info.Audio
	if a == nil || len(in.heard) > 1 || in.request.SpeechPath == "" {
		return nil
	}
	low := av.LowFrequencyChannel(s.Audio)
	if low < 0 || a.Channels < 3 || a.Channels > media.MaxChannels {
		return nil
	}

	number := 0
	if len(in.heard) > 0 {
		number = in.heard[0]
	}
	e := &ear{in: in, number: number, parts: listenParts / 2, alone: true, channel: low}
	if err := e.listen(s); err != nil {
		return err
	}
	a.Microphones = e.speaks() && e.powers[1] >= brightShare*e.powers[0]
	return nil
}

// finishAudio ends all products of the audio, and listens where a channel may have a voice.
func (in *ingest) finishAudio() error {
	if err := in.audio.finish(); err != nil {
		return err
	}
	if in.audio.speech == nil || in.info.Audio.Channels != 2 {
		return nil
	}
	return in.audio.speech.hearing.confirm(in.hasVoice)
}

// hasVoice reports whether a channel of the audio that is heard has a clear voice in the seconds
// from some positions, however short. With own, crosstalk of the other channel of a pair does not
// count.
func (in *ingest) hasVoice(channel int, seconds []int64, own bool) (bool, error) {
	if len(seconds) == 0 {
		return false, nil
	}
	e := &ear{in: in, alone: true, channel: channel, own: own}
	track, err := e.open(in.survey.Origin.Audio, in.heard...)
	if err != nil {
		return false, err
	}
	defer track.Close()
	for _, part := range partsAround(seconds) {
		if err := e.listenTo(track, part); err != nil || e.phrase >= voiceRun {
			return err == nil, err
		}
	}

	return false, nil
}

// partsAround returns the parts of a recording with the seconds from some positions and the seconds
// next to them. Those longer than about listenPart are divided, with an overlap.
func partsAround(seconds []int64) (parts []media.SampleRange) {
	for _, at := range seconds {
		from, to := max(0, at-media.SampleRate), at+2*media.SampleRate
		if n := len(parts); n > 0 && from <= parts[n-1].To && to-parts[n-1].From <= listenPart {
			parts[n-1].To = to
		} else {
			parts = append(parts, media.SampleRange{From: from, To: to})
		}
	}

	return parts
}

// ear listens to one audio track.
type ear struct {
	in      *ingest
	number  int   // of the track, as in av.Open
	parts   int64 // how many are heard at most
	alone   bool  // only one channel is heard
	channel int   // the one, from 0
	own     bool  // a clear voice is not crosstalk of the other channel

	damaged bool // hardly anything of the track can be decoded
	hears   bool // false in a program that was built without the voice network
	loud    bool // the track is louder than silence
	windows int  // that were heard
	voices  int  // windows in runs of voice
	clear   int  // windows in runs of clear voice in the last part
	phrase  int  // the most of them in two neighboring parts

	lows   [brightPoles]float64 // of the filters
	powers [2]float64           // sums of what was heard, and of the part above brightHz
}

// listen hears the track.
func (e *ear) listen(s *av.Source) error {
	start, err := e.in.survey.OriginOf(s, e.number)
	if err != nil {
		return err
	}
	track, err := e.open(start, e.number)
	if err != nil {
		return err
	}
	defer track.Close()
	total := e.parts * listenPart
	if e.in.seconds > 0 {
		total = int64(e.in.seconds * media.SampleRate)
	}
	step := max(listenPart, total/e.parts)
	for from := int64(0); from < total; from += step {
		to := min(total, from+listenPart)
		if err := e.listenTo(track, media.SampleRange{From: from, To: to}); err != nil {
			return err
		}
		if end, ended := track.End(); e.voices >= clearSpeech || (ended && end <= to) {
			break
		}
	}

	e.damaged = track.Damaged()
	return nil
}

// open opens the tracks that are heard. If only one channel is heard, the audio is its pair.
func (e *ear) open(start int64, heard ...int) (*av.AudioReader, error) {
	track, err := av.OpenAudio(e.in.ctx, e.in.request.Path, start, heard...)
	if err == nil && e.alone {
		track.Track.KeepPair(e.channel/2, e.in.info.Audio.Channels)
	}
	return track, err
}

// listenTo hears a part of the track.
func (e *ear) listenTo(track *av.AudioReader, part media.SampleRange) error {
	network, err := voicenet.New()
	if e.hears = err == nil; !e.hears && !errors.Is(err, voicenet.ErrNoWeights) {
		return err
	}
	var ears hearing
	var own []bool // of the windows, if e.own
	decimated, buffer := newDecimator(), av.NewStereo(listenStep)
	for at := part.From; at < part.To; at += listenStep {
		if err := context.Cause(e.in.ctx); err != nil {
			return err
		}
		e.in.meter.Alive()
		heard := buffer.Cut(0, min(listenStep, part.To-at))
		if err := track.Read(at, heard); err != nil {
			return err
		}
		e.loud = e.loud || heard.Power() > silentLevel*silentLevel
		if !e.hears {
			continue
		}
		if e.own {
			own = append(own, e.owns(heard)...)
		}
		if e.alone {
			heard = e.only(heard)
		} else {
			heard = ears.hear(at, heard)
		}

		samples := pcmSamples(decimated.add(heard))
		network.Add(samples)
		e.measure(samples)
	}

	if !e.hears {
		return nil
	}
	probabilities := network.Probabilities()
	for from, to := range voiceRuns(probabilities, voiceWindow) {
		e.voices += to - from
	}

	last := e.clear
	e.clear = 0
	for from, to := range voiceRuns(probabilities, clearWindow) {
		if !e.own || isOwnVoice(own[min(from, len(own)):min(to, len(own))]) {
			e.clear += to - from
		}
	}

	e.phrase = max(e.phrase, last+e.clear)
	e.windows += int((part.To - part.From) / hearingWindow)
	return nil
}

// voiceRuns returns the runs of windows with at least the given probability that are long enough
// for a voice.
func voiceRuns(probabilities []byte, least byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for w := range len(probabilities) + 1 {
			if w < len(probabilities) && probabilities[w] >= least {
				continue
			}
			if w-from >= voiceRun && !yield(from, w) {
				return
			}
			from = w + 1
		}
	}
}

// only returns the channel that is heard on both sides.
func (e *ear) only(pair av.Stereo) av.Stereo {
	side := [][]float32{pair.Left, pair.Right}[e.channel%2]
	return av.Stereo{Left: side, Right: side}
}

// owns reports for each window whether the channel may have another voice.
func (e *ear) owns(pair av.Stereo) (own []bool) {
	for from := int64(0); from < pair.Len(); from += hearingWindow {
		window := pair.Cut(from, min(from+hearingWindow, pair.Len()))
		power, other, _ := powersOf(window)
		if e.channel == 1 {
			power, other = other, power
		}
		own = append(own, isOwn(power, other, window))
	}

	return own
}

// isOwnVoice reports whether a run of voice with the given windows of ear.owns is not crosstalk.
func isOwnVoice(windows []bool) bool {
	own := 0
	for _, is := range windows {
		if is {
			own++
		}
	}

	return float64(own) >= ownVoice*float64(len(windows))
}

// measure adds the power of speech samples.
func (e *ear) measure(samples []int16) {
	const pole = 2 * math.Pi * brightHz / media.SpeechSampleRate
	for _, sample := range samples {
		v := float64(sample)
		e.powers[0] += v * v
		for i := range e.lows {
			e.lows[i] += pole * (v - e.lows[i])
			v -= e.lows[i]
		}

		e.powers[1] += v * v
	}
}

// speaks reports whether there is speech in what was heard.
func (e *ear) speaks() bool { return e.voices >= speechWindows && e.share() >= speechShare }

// share returns the part of what was heard that is voice.
func (e *ear) share() float64 { return float64(e.voices) / float64(max(1, e.windows)) }

// pcmSamples reads signed 16-bit little-endian samples.
func pcmSamples(raw []byte) []int16 {
	samples := make([]int16, len(raw)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return samples
}

// playsHeardTrack reports whether browsers play the track that is heard: the first one of the file.
func playsHeardTrack(info media.Info) bool {
	heard := info.HeardTracks()
	return len(heard) == 0 || slices.Equal(heard, []int{0})
}

// mixAudio is decodeAudio for several tracks.
func (in *ingest) mixAudio() error {
	tracks, err := av.OpenAudio(in.ctx, in.request.Path, in.survey.Origin.Audio, in.heard...)
	if err != nil {
		return err
	}
	defer tracks.Close()
	if in.info.Audio.Channels != 1 {
		tracks.ApplyPanLaw()
	}
	for ended := false; !ended; {
		if err := context.Cause(in.ctx); err != nil {
			return err
		}
		part := in.audio.parts[0]
		if err := tracks.Read(in.audio.at, part); err != nil {
			return err
		}
		end, all := tracks.End()
		if ended = all && end <= in.audio.at+part.Len(); ended {
			part = part.Cut(0, max(0, end-in.audio.at))
		}
		if err := in.processAudio(part); err != nil {
			return err
		}
	}

	in.samples = in.audio.at
	close(in.audioDone)
	return in.finishAudio()
}
