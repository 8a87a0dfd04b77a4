package media

// RenderSample is what a short trial of a render found: how its frames are made, and how large and
// how slow the encoded ones are.
type RenderSample struct {
	Inputs      []SampledInput // one for each input of the plan
	AudioReused bool           // an earlier render encoded the audio
	Rates       RenderRates
}

// SampledInput says how the frames of one input are made.
type SampledInput struct {
	Refused     bool  // has video, but no packet can be copied
	Copied      int64 // frames
	Reused      int64 // frames that an earlier render encoded
	Encoded     int64 // frames
	Groups      int64 // keyframes among the encoded frames
	CopiedBytes int64 // of the copied packets, 0 if unknown
	ReusedBytes int64
	// SourceBytes is the size of the packets between keyframes that the recording has for the
	// encoded frames, 0 if unknown.
	SourceBytes int64
	Decoded     int64 // frames that the encoder needs decoded, with those before a cut
}

// RenderRates are the measured sizes and CPU times of encoded frames and audio. They depend on the
// footage and on the settings of a render, but hardly on its cuts.
type RenderRates struct {
	Frames []FrameRates // one for each input of the plan
	Audio  AudioRates
	Timed  bool // the CPU times count: no other work ran in the process
}

// FrameRates are means of the encoded frames of one input. The zero value means that none was
// encoded.
type FrameRates struct {
	KeyBytes   float64 // of a keyframe
	FrameBytes float64 // of any other frame
	SourceGain float64 // bytes of other frames for a byte of the recording's packets between keyframes; 0 if unknown
	EncodeNS   float64 // CPU time to convert and encode a frame
	DecodeNS   float64 // CPU time to decode a frame
}

// AudioRates are means of the encoded audio. The zero value means that none was encoded.
type AudioRates struct {
	BytesPerMS float64
	NSPerMS    float64 // CPU time, of all passes
}

// Measured reports whether the rates of encoded frames are known, as far as any are encoded.
func (s RenderSample) Measured() bool {
	for i, in := range s.Inputs {
		if _, known := s.Rates.of(i); in.Encoded > 0 && !known {
			return false
		}
	}
	return true
}

// Known reports whether rates of frames were measured.
func (r FrameRates) Known() bool { return r.KeyBytes > 0 }

// of returns the rates of an input. An input that was not sampled has the means of the others.
func (r RenderRates) of(input int) (rates FrameRates, known bool) {
	if input < len(r.Frames) && r.Frames[input].Known() {
		return r.Frames[input], true
	}
	n := 0.0
	for _, f := range r.Frames {
		if f.Known() {
			n++
			rates.KeyBytes += f.KeyBytes
			rates.FrameBytes += f.FrameBytes
			rates.EncodeNS += f.EncodeNS
			rates.DecodeNS += f.DecodeNS
		}
	}
	if n == 0 {
		return FrameRates{}, false
	}
	rates.KeyBytes, rates.FrameBytes = rates.KeyBytes/n, rates.FrameBytes/n
	rates.EncodeNS, rates.DecodeNS = rates.EncodeNS/n, rates.DecodeNS/n
	return rates, true
}

// encodedBytes predicts the size of the encoded frames of an input.
func (s SampledInput) encodedBytes(rates FrameRates) float64 {
	others := float64(s.Encoded-s.Groups) * rates.FrameBytes
	if s.SourceBytes > 0 && rates.SourceGain > 0 {
		others = float64(s.SourceBytes) * rates.SourceGain
	}
	return float64(s.Groups)*rates.KeyBytes + others
}

// Excerpt returns the plan of ranges of the output, which are sorted and disjoint, with the footage
// and the levels of the whole and without anything that is placed in time.
func (p RenderPlan) Excerpt(ranges []FrameRange) RenderPlan {
	segments, within := splitAtRanges(p.Segments, ranges)
	p.Segments = nil
	for i, s := range segments {
		if within[i] {
			s.Start = p.Frames()
			p.Segments = append(p.Segments, s)
		}
	}
	p.Captions, p.Overlays, p.Chapters = nil, nil, nil
	p.Audio.Bleeped, p.Audio.Muted, p.Audio.Assets = nil, nil, nil
	return p
}

// Spread returns up to n ranges of length frames, spread evenly over the output.
func (p RenderPlan) Spread(n, length int64) (ranges []FrameRange) {
	total := p.Frames()
	if n = min(n, total/max(1, length)); n <= 1 {
		in := max(0, (total-length)/2)
		return []FrameRange{{in, min(total, in+length)}}
	}
	for i := range n {
		in := total*(2*i+1)/(2*n) - length/2
		in = min(max(in, 0), total-length)
		if k := len(ranges); k > 0 {
			in = max(in, ranges[k-1].Out)
		}
		ranges = append(ranges, FrameRange{in, min(total, in+length)})
	}
	return ranges
}

// Bytes that a container adds for each packet of video and audio.
const (
	videoPacketBytes = 12
	audioPacketBytes = 6
	audioPacketMS    = 1024 * 1000.0 / SampleRate
)

// sampled predicts the render from its sample.
func (in EstimateInput) sampled(out *RenderEstimate) {
	p, speed := in.Plan, in.Speed.typical()
	bytes := float64(out.Frames) * videoPacketBytes
	if p.AudioOnly() {
		bytes = 0
	}
	for i, s := range in.Sample.Inputs {
		out.Copied += s.Copied
		out.Reused += s.Reused
		bytes += float64(s.ReusedBytes)
		if bytes += float64(s.CopiedBytes); s.CopiedBytes == 0 {
			bytes += float64(s.Copied) / p.Rate.Float() * in.videoBitRate(i) / 8
		}
		if s.Encoded == 0 {
			continue
		}
		if rates, ok := in.Sample.Rates.of(i); ok {
			bytes += s.encodedBytes(rates)
		} else {
			bytes += float64(s.Encoded) / p.Rate.Float() * in.encodedBitRate(i) / 8
		}
	}
	out.SizeBytes = int64(bytes + in.audioBytes())
	out.ExpectedMS = int64(in.sampledNS() / 1e6)
	if out.TookMS = out.ExpectedMS; !p.AudioOnly() {
		out.TookMS = int64(float64(out.ExpectedMS) * *speed.scale(out.Copied, out.Frames))
	}
	if 2*out.Copied < out.Frames && !p.AudioOnly() {
		out.EncodedBecause = in.because(out.Copied > 0)
	}
}

// audioBytes returns the size of the audio of the render, with what the container adds.
func (in EstimateInput) audioBytes() float64 {
	if !in.Plan.HasAudio() {
		return 0
	}
	bytes, _ := in.audio()
	ms := float64(in.Plan.DurationMS())
	if rate := in.Sample.Rates.Audio.BytesPerMS; rate > 0 && !in.copiesAudio() {
		bytes = rate * ms
	}
	return bytes + audioPacketBytes*ms/audioPacketMS
}

// SampleRequest describes a render to sample.
type SampleRequest struct {
	Plan RenderPlan
	// Packets lists the packets of each input that can be copied, as EstimateInput.Packets does.
	Packets []PacketIndex
	// Uneven tells for each input whether its frames are not evenly spaced. Then Packets lists
	// none, and the sample reads them from the index of the file, if it has one.
	Uneven []bool
	// Rates are known from an earlier sample with the same footage and settings. The sample then
	// encodes nothing. It is nil if they are unknown.
	Rates *RenderRates
}
