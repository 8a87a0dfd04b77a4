package av

import (
	"math"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Silence is encoded once and repeated: its packets are in time, and the audio after it keeps its
// start time.
func TestRepeatedSilenceKeepsTheSoundInPlace(t *testing.T) {
	const second = media.SampleRate
	source := make([]float32, 7*second)
	for i := range source {
		if i < second || (i >= 5*second+777 && i < 6*second) {
			source[i] = 0.5 * float32(math.Sin(2*math.Pi*440*float64(i)/second))
		}
	}
	e, err := NewAudioEncoder(nil, EncoderAAC, 192_000)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	codec := astiav.FindDecoder(astiav.CodecIDAac)
	decoder := astiav.AllocCodecContext(codec)
	defer decoder.Free()
	decoder.SetSampleRate(second)
	decoder.SetChannelLayout(astiav.ChannelLayoutStereo)
	if err := decoder.SetExtraData(e.context.ExtraData()); err != nil {
		t.Fatal(err)
	}
	if err := decoder.Open(codec, nil); err != nil {
		t.Fatal(err)
	}
	frame := astiav.AllocFrame()
	defer frame.Free()
	var heard []float32
	next := int64(math.MinInt64)
	e.Put = func(p *astiav.Packet) error {
		defer p.Free()
		if next != math.MinInt64 && (p.Pts() != next || p.Dts() != next) {
			t.Errorf("a packet at %d, want %d", p.Pts(), next)
		}
		next = p.Pts() + AACFrame
		if err := decoder.SendPacket(p); err != nil {
			return err
		}
		for decoder.ReceiveFrame(frame) == nil {
			heard = append(heard, PlaneFloats(frame, 0)[:frame.NbSamples()]...)
		}
		return nil
	}
	if err := e.Write(source, source); err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(); err != nil {
		t.Fatal(err)
	}
	if e.silence.skipped < 4*second {
		t.Errorf("the encoder saw all but %d silent samples", e.silence.skipped)
	}
	if len(heard) < AACFrame+len(source) {
		t.Fatalf("%d samples, want %d", len(heard), len(source))
	}
	heard = heard[AACFrame:] // the encoder is one frame behind
	var noise, sound float64
	for i, s := range source {
		d := float64(heard[i] - s)
		noise, sound = noise+d*d, sound+float64(s*s)
	}
	if snr := 10 * math.Log10(sound/noise); snr < 25 {
		t.Errorf("the decoded audio is %.1f dB from the source", snr)
	}
	if !allZero(heard[2*second : 4*second]) {
		t.Error("the silence is not silent")
	}
}
