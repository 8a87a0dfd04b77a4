package libav

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// noiseFloors are the lowest and the highest noise level, in dB, that the filter accepts.
var noiseFloors = [2]float64{-80, -20}

// mostDenoiseDB is the largest reduction that the filter accepts.
const mostDenoiseDB = 97

// denoiseDelay is the delay of the filter in samples.
const denoiseDelay = media.SampleRate / 40

// denoiser reduces background noise in continuous audio. Its output has the length and position of
// its input. close frees it.
type denoiser struct {
	graph  *av.Graph
	in     *astiav.Frame
	out    *astiav.Frame
	pushed int64 // input samples, without those that only flush the filter
	fed    int64 // samples that the filter got
	given  int64 // output samples
	skip   int64 // samples still to drop, from before the start
}

func newDenoiser(reduceDB, floorDB float64) (*denoiser, error) {
	g, err := av.NewAudioGraph(denoiseFilters(reduceDB, floorDB))
	if err != nil {
		return nil, err
	}
	return &denoiser{graph: g, in: astiav.AllocFrame(), out: astiav.AllocFrame(), skip: denoiseDelay}, nil
}

// push takes audio and passes on the output that is ready.
func (d *denoiser) push(part av.Stereo, take func(av.Stereo) error) error {
	d.pushed += part.Len()
	return d.feed(part, take)
}

func (d *denoiser) feed(part av.Stereo, take func(av.Stereo) error) error {
	d.in.Unref()
	d.in.SetNbSamples(int(part.Len()))
	d.in.SetSampleFormat(astiav.SampleFormatFltp)
	d.in.SetSampleRate(media.SampleRate)
	d.in.SetChannelLayout(astiav.ChannelLayoutStereo)
	if err := d.in.AllocBuffer(0); err != nil {
		return err
	}
	copy(av.PlaneFloats(d.in, 0), part.Left)
	copy(av.PlaneFloats(d.in, 1), part.Right)
	d.in.SetPts(d.fed)
	d.fed += part.Len()
	if err := d.graph.Push(d.in); err != nil {
		return fmt.Errorf("reducing noise: %w", err)
	}
	return d.pull(take)
}

func (d *denoiser) pull(take func(av.Stereo) error) error {
	for {
		d.out.Unref()
		err := d.graph.Pull(d.out)
		if av.IsAgain(err) || av.IsEOF(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reducing noise: %w", err)
		}
		part := av.Stereo{Left: av.PlaneFloats(d.out, 0), Right: av.PlaneFloats(d.out, 1)}
		n := min(d.skip, part.Len())
		d.skip -= n
		part = part.Cut(n, part.Len())
		part = part.Cut(0, min(part.Len(), d.pushed-d.given))
		d.given += part.Len()
		if err := take(part); err != nil {
			return err
		}
	}
}

// finish passes on the rest.
func (d *denoiser) finish(take func(av.Stereo) error) error {
	if err := d.feed(av.NewStereo(2*denoiseDelay), take); err != nil {
		return err
	}
	if err := d.graph.Push(nil); err != nil {
		return fmt.Errorf("reducing noise: %w", err)
	}
	if err := d.pull(take); err != nil {
		return err
	}
	if d.given < d.pushed {
		return fmt.Errorf("reducing noise: the filter returned %d samples of %d", d.given, d.pushed)
	}
	return nil
}

func (d *denoiser) close() {
	d.in.Free()
	d.out.Free()
	d.graph.Close()
}

// denoiseFilters returns the filters that lower noise of a level of floorDB by reduceDB.
func denoiseFilters(reduceDB, floorDB float64) []string {
	reduceDB = min(max(reduceDB, 0.01), mostDenoiseDB)
	return []string{
		fmt.Sprintf("afftdn=nr=%.2f:nf=%.2f", reduceDB, floorDB),
		"aformat=sample_fmts=fltp:channel_layouts=stereo",
	}
}
