package libav

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"time"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
)

// Limits of a sample. It encodes windows of the frames that an export encodes, spread over each
// input: firstWindows, and up to mostWindows if that takes less than sampleGoal. After sampleLimit,
// or sampleCPU of processor time, it stops, and what it has not measured stays unknown.
const (
	windowMS       = 1000
	windowFrames   = 30 // at most
	firstWindows   = 3
	mostWindows    = 9
	sampledInputs  = 4 // the inputs with most encoded frames
	sampledDecodes = 20
	sampleGoal     = 2 * time.Second
	sampleLimit    = 4 * time.Second
	sampleCPU      = 3 * time.Second

	audioWindows  = 3
	audioWindowMS = 4000
	shortWindowMS = 200
	longWindowMS  = 20000
	quickAudio    = 100 * time.Millisecond // too little to measure

	// sampleNiceness leaves most of the processor time to jobs and the page. At the lowest
	// priority, a sample on a busy machine would measure nothing before sampleLimit.
	sampleNiceness = 5
)

// renderSample is one running Sample.
type renderSample struct {
	*render
	sizes  []packetSizes // of the inputs
	result media.RenderSample
}

// Sample finds how a Render of the plan would make its frames now, and encodes a few of them to
// measure their size and the CPU time that they take. It encodes on threads of a low priority for
// at most a few seconds, and writes nothing. Errors: as Render.
func (e *Engine) Sample(ctx context.Context, request media.SampleRequest) (media.RenderSample, error) {
	plan := request.Plan
	if plan.Frames() == 0 {
		return media.RenderSample{}, media.ErrNothingLeft
	}
	ctx, m := newMeter(ctx, nil, e.stall)
	defer m.close()
	s := &renderSample{
		render: &render{engine: e, ctx: ctx, plan: plan, meter: m, known: request.Packets, uneven: request.Uneven},
		sizes:  make([]packetSizes, len(plan.Inputs)),
		result: media.RenderSample{Inputs: make([]media.SampledInput, len(plan.Inputs))},
	}
	if err := safely(func() error { return s.run(request.Rates) })(); err != nil {
		return media.RenderSample{}, because(ctx, err)
	}
	return s.result, nil
}

func (s *renderSample) run(known *media.RenderRates) error {
	if err := s.locate(); err != nil {
		return err
	}
	defer s.closeInputs()
	if !s.plan.AudioOnly() {
		if err := s.planChunks(); err != nil {
			return err
		}
		if err := s.countChunks(); err != nil {
			return err
		}
	}
	s.findCachedAudio()
	s.result.AudioReused = s.cachedAudio.complete
	if known != nil {
		s.result.Rates = *known
		return nil
	}
	whole := s.ctx
	ctx, cancel := context.WithTimeout(whole, s.engine.sampleLimit)
	defer cancel()
	s.ctx = ctx
	s.meter.checks = 1 // frames can be large
	s.meter.limitCPU(s.engine.clock, s.engine.sampleCPU, errSampled)
	var group errgroup.Group
	group.Go(safely(withNiceness(sampleNiceness, s.measure)))
	err := group.Wait()
	late := errors.Is(ctx.Err(), context.DeadlineExceeded) && whole.Err() == nil
	if s.ctx = whole; err != nil && (late || errors.Is(context.Cause(whole), errSampled)) {
		return nil
	}
	return err
}

// errSampled ends a sample that has used its processor time.
var errSampled = errors.New("the sample has used its processor time")

// countChunks adds up how the frames of each input are made.
func (s *renderSample) countChunks() (err error) {
	group := max(1, s.plan.Rate.Frame(exportGOP*1000))
	for _, p := range s.chunks {
		in, sizes := &s.result.Inputs[p.Input], &s.sizes[p.Input]
		if sizes.all == nil && s.plan.Inputs[p.Input].HasVideo {
			if *sizes, err = s.packetSizes(p.Input); err != nil {
				return err
			}
			in.Refused = s.inputs[p.Input].packets == nil
		}
		switch {
		case p.Copy:
			in.Copied += p.Frames()
			in.CopiedBytes += sizes.sum(sizes.all, p.In, p.Out)
		case p.cached:
			in.Reused += p.Frames()
			in.ReusedBytes += s.engine.cache.size(p.path)
		default:
			in.Encoded += p.Frames()
			in.Groups += (p.Frames() + group - 1) / group
			in.SourceBytes += sizes.sum(sizes.others, p.In, p.Out)
		}
	}
	for i := range s.result.Inputs {
		s.result.Inputs[i].Decoded = s.decodes(i)
	}
	return nil
}

// decodes returns how many frames of an input an export decodes to encode some.
func (s *renderSample) decodes(input int) (frames int64) {
	at := int64(0)
	for _, seg := range s.encoded {
		if seg.Input != input {
			continue
		}
		from := s.sizes[input].keyframe(seg.In)
		if at <= seg.In {
			from = max(from, at)
		}
		frames += seg.Out - from
		at = seg.Out
	}
	return frames
}

// measure encodes a part of each input and of the audio.
func (s *renderSample) measure() error {
	rates := &s.result.Rates
	rates.Timed, rates.Frames = true, make([]media.FrameRates, len(s.plan.Inputs))
	var inputs []int
	for i, in := range s.result.Inputs {
		if in.Encoded > 0 {
			inputs = append(inputs, i)
		}
	}
	slices.SortStableFunc(inputs, func(a, b int) int {
		return cmp.Compare(s.result.Inputs[b].Encoded, s.result.Inputs[a].Encoded)
	})
	inputs = inputs[:min(len(inputs), sampledInputs)]
	if s.plan.HasAudio() && !s.cachedAudio.complete {
		var err error
		if rates.Audio, err = s.measureAudio(); err != nil {
			return err
		}
	}
	for _, i := range inputs {
		var err error
		if rates.Frames[i], err = s.measureFrames(i, s.engine.sampleGoal/time.Duration(len(inputs))); err != nil {
			return err
		}
	}
	return nil
}

// windowTotals are the sums over encoded windows.
type windowTotals struct {
	keys, others         int64 // frames
	keyBytes, otherBytes int64
	sourceBytes          int64         // of packets between keyframes of the recording
	decoded              int64         // frames
	used                 time.Duration // CPU time
}

// measureFrames encodes windows of an input until goal.
func (s *renderSample) measureFrames(input int, goal time.Duration) (media.FrameRates, error) {
	started := time.Now()
	var total windowTotals
	windows := s.windows(input, firstWindows)
	decodeNS, err := s.measureDecoding(input, windows[len(windows)/2].In)
	if err != nil {
		return media.FrameRates{}, err
	}
	first := time.Now()
	if err := s.encodeWindows(windows, &total); err != nil {
		total.sourceBytes = 0 // of frames that are not encoded
		return total.rates(decodeNS), err
	}
	each := max(time.Since(first)/time.Duration(len(windows)), time.Millisecond)
	more := min(int64((goal-time.Since(started))/each), mostWindows-firstWindows)
	if more > 0 && len(windows) == firstWindows {
		measured := total
		if err := s.encodeWindows(s.windows(input, more), &total); err != nil {
			return measured.rates(decodeNS), err
		}
	}
	return total.rates(decodeNS), nil
}

// rates returns the means of the windows.
func (t windowTotals) rates(decodeNS float64) (rates media.FrameRates) {
	if t.keys == 0 {
		return rates
	}
	used := float64(t.used)
	rates = media.FrameRates{
		KeyBytes:   float64(t.keyBytes) / float64(t.keys),
		FrameBytes: float64(t.otherBytes) / float64(max(1, t.others)),
		DecodeNS:   decodeNS,
		EncodeNS:   max(used/3, used-decodeNS*float64(t.decoded)) / float64(t.keys+t.others),
	}
	if t.sourceBytes > 0 {
		rates.SourceGain = float64(t.otherBytes) / float64(t.sourceBytes)
	}
	return rates
}

// windows returns up to n windows, spread over the frames of an input that are not copied. A window
// starts at a keyframe of the recording where that saves decoding.
func (s *renderSample) windows(input int, n int64) (windows []chunk) {
	var all []chunk
	frames := int64(0)
	for _, p := range s.chunks {
		if p.Input == input && !p.Copy {
			all, frames = append(all, p), frames+p.Frames()
		}
	}
	length := min(max(1, s.plan.Rate.Frame(windowMS)), windowFrames)
	n = max(1, min(n, frames/length))
	at, next, encoded := int64(0), int64(0), int64(0)
	for _, p := range all {
		for target := frames * (2*next + 1) / (2 * n); next < n && target < at+p.Frames(); {
			in := max(p.In, min(p.In+target-at, p.Out-length))
			if key := s.sizes[input].keyframe(in); key >= p.In {
				in = key
			}
			w := p
			w.In, w.Out, w.Start, w.start = in, min(p.Out, in+length), p.Start+in-p.In, encoded
			if k := len(windows); k == 0 || windows[k-1].Out <= w.In || windows[k-1].In > w.In {
				windows, encoded = append(windows, w), encoded+w.Frames()
			}
			next++
			target = frames * (2*next + 1) / (2 * n)
		}
		at += p.Frames()
	}
	return windows
}

// measureDecoding decodes frames of an input from the keyframe before a frame and returns the CPU
// time for one.
func (s *renderSample) measureDecoding(input int, frame int64) (ns float64, err error) {
	if !s.plan.Inputs[input].HasVideo {
		return 0, nil
	}
	from, decoded := s.sizes[input].keyframe(frame), 0
	used := processTime()
	open, err := s.openInput(input, s.engine.decodeThreads())
	if err != nil {
		return 0, err
	}
	defer open.close()
	open.alive = func() { decoded++ }
	for n := from; n < from+sampledDecodes; {
		_, until, err := open.at(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		s.meter.alive()
		n = until
	}
	return float64(processTime()-used) / float64(max(1, decoded)), nil
}

// encodeWindows encodes windows as an export does, each as a GOP, and adds them to total.
func (s *renderSample) encodeWindows(windows []chunk, total *windowTotals) error {
	pass := *s.render
	pass.encoded, pass.places = nil, nil
	pass.decoded = &total.decoded
	for _, w := range windows {
		pass.encoded = append(pass.encoded, media.Segment{Input: w.Input, In: w.In, Out: w.Out, Start: w.start})
		pass.places = append(pass.places, w.Start)
		total.sourceBytes += s.sizes[w.Input].sum(s.sizes[w.Input].others, w.In, w.Out)
	}
	used := processTime()
	if err := pass.openVideoEncoder(); err != nil {
		return err
	}
	defer pass.closeEncoders()
	pass.video.put = func(p *astiav.Packet) error {
		defer p.Free()
		i := sort.Search(len(windows), func(i int) bool { return windows[i].start > p.Pts() }) - 1
		if i >= 0 && windows[i].start == p.Pts() {
			total.keyBytes += int64(p.Size())
			total.keys++
		} else {
			total.otherBytes += int64(p.Size())
			total.others++
		}
		return nil
	}
	group, ctx := errgroup.WithContext(s.ctx)
	pass.ctx = ctx
	frames, drop := pass.startPipeline(func(step func() error) { group.Go(safely(withNiceness(sampleNiceness, step))) })
	group.Go(safely(withNiceness(sampleNiceness, func() error {
		if err := pass.encodeChunks(frames, &assembler{}); err != nil {
			return err
		}
		return pass.video.drain()
	})))
	err := group.Wait()
	drop()
	total.used += processTime() - used
	return err
}

// measureAudio measures the audio, unless it is copied.
func (s *renderSample) measureAudio() (rates media.AudioRates, err error) {
	copied, err := s.findCopiedAudio()
	if copied != nil {
		copied.close()
	}
	if copied != nil || err != nil {
		return rates, err
	}
	return audioRates(s.encodeExcerpt)
}

// audioRates encodes an excerpt of the audio, and a longer one if it takes too little time to
// measure. A much shorter one before it takes the time that a whole render spends only once, above
// all on opening the recordings. If encode fails, the rates are those of the longest whole excerpt.
func audioRates(encode func(windowMS int64) (audioTotals, error)) (rates media.AudioRates, err error) {
	once, err := encode(shortWindowMS)
	if err != nil || once.ms == 0 {
		return rates, err
	}
	excerpt := once
	for _, windowMS := range []int64{audioWindowMS, longWindowMS} {
		longer, err := encode(windowMS)
		if err != nil {
			return excerpt.rates(once), err
		}
		if excerpt = longer; excerpt.used >= quickAudio {
			break
		}
	}
	return excerpt.rates(once), nil
}

// audioTotals are the sums over an excerpt of the audio.
type audioTotals struct {
	ms    float64
	bytes int
	used  time.Duration // CPU time
}

// rates returns the rates of an excerpt without the time that once, a shorter one, took as well.
func (t audioTotals) rates(once audioTotals) media.AudioRates {
	rates := media.AudioRates{BytesPerMS: float64(t.bytes) / t.ms, NSPerMS: float64(t.used) / t.ms}
	if used := t.used - once.used; used > 0 && t.ms > once.ms {
		rates.NSPerMS = float64(used) / (t.ms - once.ms)
	}
	return rates
}

// encodeExcerpt encodes windows of the audio. Without audio in them, its result is empty.
func (s *renderSample) encodeExcerpt(windowMS int64) (total audioTotals, err error) {
	excerpt := s.plan.Excerpt(s.plan.Spread(audioWindows, s.plan.Rate.Frame(windowMS)))
	if !excerpt.HasAudio() {
		return total, nil
	}
	plain := *s.engine
	plain.cache = nil
	a := &render{engine: &plain, ctx: s.ctx, plan: excerpt, meter: s.meter, origins: s.origins}
	used := processTime()
	if a.audio, err = newAudioEncoder(nil, excerpt.Format.AudioEncoder, exportBitRate); err != nil {
		return total, err
	}
	defer a.audio.close()
	a.tally = a.newTally()
	err = a.encodeAudio(func(p *astiav.Packet) error {
		total.bytes += p.Size()
		p.Free()
		return nil
	})
	total.ms, total.used = float64(max(1, excerpt.DurationMS())), processTime()-used
	return total, err
}
