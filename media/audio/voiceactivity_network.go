package audio

import "slices"

// frames is a range of frames: from, and the frame after the last.
type frames struct{ from, to int }

// hearing combines the levels of a recording with the voice network. The network knows voice from
// other sound, but not its edges: it hears the start of speech up to 300 ms late and misses final
// consonants. So energy keeps the borders, and the network decides which energy counts.
type hearing struct {
	levels      []byte
	bands       [bands][]byte // smoothed
	active      []bool        // energy above the noise floor, until frames without voice are cleared
	probability []byte        // of voice, per window
	voiced      []frames      // the network hears voice
	loudDB      float64       // of loud voice
	swellDB     float64       // up to here, sound without voice is noise that swells in pauses
	reverberant bool          // the room keeps sounding after speech
}

const (
	doubtfulVoice    = 40  // of 255: less is not voice
	certainVoice     = 150 // of 255: a run without it is not voice unless it is loud
	doubtfulLoudDB   = 14  // below the loudest sound, a run needs certainVoice
	doubtfulGap      = 14  // frames between voice and doubtful voice that belongs to it
	shortestGap      = 25  // frames between runs of voice
	trailingFrames   = 20  // after voice, which its end may fill
	leadingFrames    = 12  // before voice, which its start may fill
	leastQuiet       = 10  // frames without voice, apart from both, in a gap
	backgroundFrames = 60  // that tell the background after voice
	backgroundBefore = 80  // frames that tell the background before voice
	hiddenRangeDB    = 40  // below loud voice; noise up to there hides no speech
	latestFrames     = 10  // that the network hears voice beyond its end
	nearFrames       = 20  // of these, the nearest, which may be louder
	nearLead         = 4   // frames closer to the voice that tell the background before it
	soundingTrail    = 2   // after voice over sound; the network hears the end of voice late
	soundingLead     = 8   // before voice over sound
)

// newHearing finds the voice. It has no voiced frames if the network hears none anywhere.
func newHearing(levels []byte, smoothed [bands][]byte, active []bool, probability []byte) *hearing {
	h := &hearing{levels: levels, bands: smoothed, active: active, probability: probability}
	h.voiced = h.voicedRuns(probability)
	if len(h.voiced) == 0 {
		return h
	}
	var on []byte
	for _, v := range h.voiced {
		on = append(on, levels[v.from:v.to]...)
	}
	h.loudDB = percentileDB(on, 0.9)
	h.reverberant = h.isReverberant(median(noiseFloors(levels)))
	h.swellDB = h.measureSwell()
	return h
}

// voicedRuns returns the runs of windows with voice. It joins runs that are close to each other.
func (h *hearing) voicedRuns(probability []byte) []frames {
	loud := percentileDB(h.levels, 0.95) - doubtfulLoudDB
	var out []frames
	for w := 0; w < len(probability); w++ {
		if probability[w] < doubtfulVoice {
			continue
		}
		from, peak := w, byte(0)
		for ; w < len(probability) && probability[w] >= doubtfulVoice; w++ {
			peak = max(peak, probability[w])
		}
		run := frames{
			min(from*VoiceWindowMS/VoiceFrameMS, len(h.levels)),
			min((w*VoiceWindowMS+VoiceFrameMS-1)/VoiceFrameMS, len(h.levels)),
		}
		if run.from == run.to {
			continue
		}
		if peak < certainVoice && h.peakDB(run) < loud {
			continue
		}
		if n := len(out); n > 0 && run.from-out[n-1].to < shortestGap {
			out[n-1].to = run.to
			continue
		}

		out = append(out, run)
	}

	return out
}

// peakDB returns the level of the loudest frame.
func (h *hearing) peakDB(r frames) float64 {
	peak := byte(0)
	for _, l := range h.levels[r.from:r.to] {
		peak = max(peak, l)
	}
	return decibels(peak)
}

// clearSounds clears the active frames that are sound without voice. Sounds as loud as speech stay:
// laughter, applause, music that is played. It returns them.
func (h *hearing) clearSounds() []frames {
	if len(h.voiced) == 0 {
		return nil
	}
	var loud []frames
	from := 0
	for i := range len(h.voiced) + 1 {
		gap := frames{from, len(h.active)}
		if i < len(h.voiced) {
			gap.to, from = h.voiced[i].from, h.voiced[i].to
		}
		quiet := h.withoutVoice(gap)
		if quiet.to <= quiet.from {
			continue
		}
		clear(h.active[quiet.from:quiet.to])
		for _, s := range h.loudSounds(quiet) {
			loud = append(loud, s)
			for f := s.from; f < s.to; f++ {
				h.active[f] = true
			}
		}
	}

	return loud
}

// withoutVoice returns the part of a gap between runs of voice that is not the end or the start of
// speech. It is empty in gaps that are too short.
func (h *hearing) withoutVoice(gap frames) frames {
	inner, out := gap, gap
	if gap.from > 0 {
		inner.from += trailingFrames
	}
	if gap.to < len(h.active) {
		inner.to -= leadingFrames
	}
	if inner.to-inner.from < leastQuiet {
		return frames{}
	}
	if gap.from > 0 {
		out.from = h.endOfSpeech(gap, inner)
	}
	if gap.to < len(h.active) {
		out.to = h.startOfSpeech(gap, inner)
	}
	return out
}

// endOfSpeech follows energy from voice into a gap. If the energy has no end, as over music, or if
// the gap is full of sound, it follows only sound louder than the background of the gap.
func (h *hearing) endOfSpeech(gap, inner frames) int {
	walk := walk{
		from: max(gap.from-trailingFrames, 0), step: 1, bridge: 10, voiceEnd: gap.from,
		quietEnd: min(gap.from+reachFrames, gap.to),
	}
	if h.reverberant {
		walk.from = max(gap.from-echoSpeech, 0)
	}
	walk.from = max(walk.from, h.lastRise(gap.from))
	background := frames{inner.from, min(inner.from+backgroundFrames, inner.to)}
	near, audible := background, h.aboveReverberation(gap.from)
	if countTrue(h.active, background) >= noisyFrames {
		walk.bridge, walk.noisy = noisyBridge, true
	}
	if h.isSounding(background) {
		if end := h.follow(walk, audible); end <= gap.from+soundingTrail {
			return end
		}
		near.to = min(inner.from+nearFrames, inner.to)
		walk.quietEnd = min(gap.from+soundingTrail, gap.to)
	} else if end := h.follow(walk, audible); end <= gap.from+trailingFrames {
		return h.withHidden(end, gap, background)
	}

	over := h.aboveBackground(background, near)
	return h.withHidden(h.follow(walk, func(f int) bool { return over(f) && audible(f) }), gap, background)
}

// withHidden marks the end of speech that steady noise hides: as long as the network hears voice,
// apart from latestFrames. It returns the first frame behind it.
func (h *hearing) withHidden(end int, gap, background frames) int {
	noise := percentileDB(h.levels[background.from:background.to], 0.5)
	if noise < h.loudDB-hiddenRangeDB || !h.isEven(background) {
		return end
	}
	last, from := min(h.lastHeard(gap.from)-latestFrames, gap.to), end
	for from > end-reachFrames && from > 0 && !h.active[from-1] {
		from--
	}
	for f := from; f < last && from > end-reachFrames; f++ {
		h.active[f] = true
	}
	return max(end, last)
}

// lastHeard returns the end of the doubtful voice that follows an end of voice, or that end.
func (h *hearing) lastHeard(end int) int {
	last := end
	for f := end; f < last+doubtfulGap; f++ {
		if w := f * VoiceFrameMS / VoiceWindowMS; w < len(h.probability) && h.probability[w] >= doubtfulVoice {
			last = f + 1
		}
	}

	return last
}

// startOfSpeech follows energy from voice back into the gap before it, as endOfSpeech does.
func (h *hearing) startOfSpeech(gap, inner frames) int {
	walk := walk{
		from: min(gap.to+leadingFrames/2, len(h.active)) - 1, step: -1, bridge: 6,
		quietEnd: max(gap.to-reachFrames, gap.from) - 1,
	}
	background := frames{max(inner.to-backgroundBefore, inner.from), inner.to}
	near := background
	if h.isSounding(background) {
		near = frames{max(inner.to-nearFrames, inner.from), min(inner.to+nearLead, gap.to)}
		walk.quietEnd = max(gap.to-soundingLead, gap.from) - 1
	}

	return h.startOfBurst(h.follow(walk, h.aboveBackground(background, near))+1, inner)
}

// startOfBurst returns the start of sound as loud as speech that comes just before speech, because
// the network misses some first syllables. It returns start if it finds no such sound.
func (h *hearing) startOfBurst(start int, inner frames) int {
	first, loud, last := start, 0, max(start-burstReach, inner.from)
	for f := start - 1; f >= last; f-- {
		if !h.isLoud(f, loudSpeechRangeDB) {
			continue
		}
		first, last = f, max(f-burstGap, inner.from)
		if h.isLoud(f, burstBelowDB) {
			loud++
		}
	}

	if loud < burstFrames || first == inner.from {
		return start
	}
	return first
}

// isSounding reports whether there is sound in most frames of a range without voice.
func (h *hearing) isSounding(r frames) bool {
	return 2*countTrue(h.active, r) >= r.to-r.from
}

// countTrue returns the number of frames of a range that are set.
func countTrue(set []bool, r frames) (n int) {
	for _, on := range set[r.from:r.to] {
		if on {
			n++
		}
	}

	return n
}

const (
	reachFrames       = 40 // how far quiet speech may reach from where the network hears voice
	loudBridgeFrames  = 12 // longest silence before a loud sound that belongs to the speech
	loudSpeechRangeDB = 14 // below loud voice
	burstReach        = 25 // frames before speech: an equally loud burst there belongs to the speech
	burstBelowDB      = 3  // least level of a burst below loud voice
	burstFrames       = 4  // that are as loud
	burstGap          = 5  // longest silence within a burst
	closureFrames     = 2  // before the end of voice; silence until then is a closed mouth
	lateFrames        = 6  // after the end of voice
	lateBridgeFrames  = 4  // longest silence within speech from there on
	riseWindows       = 10 // before the end of voice: it may rise again there
	riseOfVoice       = 20 // of 255, from one window to the next
	faintVoice        = 5  // of 255: noise has less
	faintRise         = 2  // windows of growing faint voice
	faintMoreFrames   = 2  // that a silence before faint voice may be longer
	faintBridgeFrames = 18 // longest silence before faint, loud voice
	noisyFrames       = 4  // of sound after the end of voice, which make the gap noisy
	noisyBridge       = 5  // longest silence within speech in a noisy gap
)

// walk is a way from voice into a gap. bridge is the longest silence within speech, in frames.
type walk struct {
	from, step, bridge int
	voiceEnd           int  // where the network stops hearing voice, if step is 1
	noisy              bool // the gap holds other sounds
	quietEnd           int  // quiet sound from here on is not speech
}

// follow walks along active frames that count, and returns the first frame behind them. Behind the
// end of voice, a short silence ends the speech unless the network faintly hears what follows.
func (h *hearing) follow(w walk, counts func(int) bool) int {
	end, silence := w.from, 0
	for f := w.from; f >= 0 && f < len(h.active) && silence <= faintBridgeFrames; f += w.step {
		bridge, loudBridge := w.bridge, loudBridgeFrames
		if w.noisy {
			loudBridge = noisyBridge
		} else if h.hears(f) {
			bridge, loudBridge = bridge+faintMoreFrames, faintBridgeFrames
		} else if w.step > 0 && f > w.voiceEnd+lateFrames {
			bridge = lateBridgeFrames
		}

		quiet := (f-w.quietEnd)*w.step < 0 && silence <= bridge && counts(f)
		loud := silence <= loudBridge && h.isLoud(f, loudSpeechRangeDB)
		if silence++; h.active[f] && (quiet || loud) {
			end, silence = f+w.step, 0
		} else if w.step > 0 && !w.noisy && f < w.voiceEnd-closureFrames {
			silence = 0
		}
	}

	return end
}

// lastRise returns the last frame before end where the network becomes certain of voice, or 0 if no
// recent frame qualifies. The network hears starts late, never early, so that frame has voice.
func (h *hearing) lastRise(end int) int {
	last := min(end*VoiceFrameMS/VoiceWindowMS, len(h.probability)) - 1
	for w := last; w > 0 && w > last-riseWindows; w-- {
		if h.probability[w] >= certainVoice && int(h.probability[w])-int(h.probability[w-1]) >= riseOfVoice {
			return w * VoiceWindowMS / VoiceFrameMS
		}
	}

	return 0
}

// hears reports whether the network hears something like voice in a frame, however faint, and more
// than in the frames before. The probability falls slowly after voice, which says nothing.
func (h *hearing) hears(f int) bool {
	w := f * VoiceFrameMS / VoiceWindowMS
	return w >= faintRise && w < len(h.probability) &&
		h.probability[w] >= faintVoice && h.probability[w] > h.probability[w-faintRise]
}

// aboveBackground returns a test for frames that are louder, in at least one band, than the sound
// in ranges without voice.
func (h *hearing) aboveBackground(ranges ...frames) func(int) bool {
	var limit [bands]float64
	for b := range limit {
		limit[b] = minLevelDB
		for _, r := range ranges {
			limit[b] = max(limit[b], backgroundDB(h.bands[b][r.from:r.to]))
		}
	}

	return func(f int) bool {
		for b := range limit {
			if decibels(h.bands[b][f]) > limit[b] {
				return true
			}
		}

		return false
	}
}

// backgroundDB returns the highest level of background sound. The quartile and the median of the
// levels bound the effect of keystrokes and single loud sounds.
func backgroundDB(levels []byte) float64 {
	return min(percentileDB(levels, 0.95)+1, percentileDB(levels, 0.5)+8, percentileDB(levels, 0.25)+11)
}

const (
	echoDB          = 22  // this far below speech, a decaying sound is the room
	echoReach       = 50  // frames before the end of voice that tell the level of speech
	echoStartDB     = 15  // below speech, where the decay is measured from
	echoEndDB       = 28  // and to
	echoOverFloorDB = 8   // least distance from the floor
	echoFrames      = 6   // a reverberant room takes longer
	echoEndings     = 5   // least number of endings that tell so
	echoSpread      = 2.5 // most that half of the endings take longer than the most abrupt ones
	echoBridge      = 7   // frames
	echoSpeech      = 8   // frames before the end of voice that are never an echo alone
	everythingDB    = 200 // below any sound
)

// aboveReverberation returns a test for frames that are speech rather than its echo. In rooms
// without much of it, everything is.
func (h *hearing) aboveReverberation(end int) func(int) bool {
	if !h.reverberant {
		return h.above(end, everythingDB)
	}
	return h.above(end, echoDB)
}

// above returns a test for frames that are at most db below the speech that ends at a frame.
func (h *hearing) above(end int, db float64) func(int) bool {
	limit := h.peakDB(frames{max(end-echoReach, 0), end}) - db
	return func(f int) bool { return decibels(h.levels[f]) > limit }
}

// isReverberant reports whether sound decays slowly, and about as slowly after every end of voice.
// Without a room, some ends are abrupt and others die away.
func (h *hearing) isReverberant(floorDB float64) bool {
	if h.loudDB-echoEndDB < floorDB+echoOverFloorDB {
		return false
	}
	var tails []int
	for _, v := range h.voiced {
		if v.to+reachFrames < len(h.active) {
			tails = append(tails, h.lastAbove(v.to, echoEndDB)-h.lastAbove(v.to, echoStartDB))
		}
	}

	slices.Sort(tails)
	if len(tails) < echoEndings || tails[len(tails)/4] < echoFrames {
		return false
	}
	return float64(tails[len(tails)/2]) <= echoSpread*float64(tails[len(tails)/10])
}

// lastAbove returns the last frame around the end of voice that is at most db below the speech
// before it.
func (h *hearing) lastAbove(end int, db float64) int {
	counts, last := h.above(end, db), max(end-trailingFrames, 0)
	for f := last; f < end+reachFrames && f-last <= echoBridge; f++ {
		if counts(f) {
			last = f
		}
	}

	return last
}

const (
	loudSoundDB     = 9  // below loud voice; quieter sound may be cut
	loudSoundFrames = 30 // that are as loud
	loudSoundGap    = 20 // longest silence within a loud sound
	loudSoundEdge   = 20 // frames around a loud sound that belong to it
)

// loudSounds returns the sounds without voice that are as loud as speech and not just a knock.
func (h *hearing) loudSounds(r frames) []frames {
	var out []frames
	loud := 0
	end := func() {
		if n := len(out); n > 0 && loud < loudSoundFrames {
			out = out[:n-1]
		}
		loud = 0
	}
	for f := r.from; f < r.to; f++ {
		if !h.isLoud(f, loudSoundDB) {
			continue
		}
		if n := len(out); n > 0 && loud > 0 && f-out[n-1].to <= loudSoundGap {
			out[n-1].to = f + 1
		} else {
			end()
			out = append(out, frames{f, f + 1})
		}

		loud++
	}

	end()
	for i := range out {
		out[i] = frames{max(out[i].from-loudSoundEdge, r.from), min(out[i].to+loudSoundEdge, r.to)}
	}
	return out
}
