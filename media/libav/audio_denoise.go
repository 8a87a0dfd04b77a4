package libav

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"roughcut/media"
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
	graph  *graph
	in     *astiav.Frame
	out    *astiav.Frame
	pushed int64 // input samples, without those that only flush the filter
	fed    int64 // samples that the filter got
	given  int64 // output samples
	skip   int64 // samples still to drop, from before the start
}

func newDenoiser(reduceDB, floorDB float64) (*denoiser, error) {
	g, err := newAudioGraph(denoiseFilters(reduceDB, floorDB))
	if err != nil {
		return nil, err
	}
	return &denoiser{graph: g, in: astiav.AllocFrame(), out: astiav.AllocFrame(), skip: denoiseDelay}, nil
}

// push takes audio and passes on the output that is ready.
func (d *denoiser) push(part stereo, take func(stereo) error) error {
	d.pushed += part.len()
	return d.feed(part, take)
}

func (d *denoiser) feed(part stereo, take func(stereo) error) error {
	d.in.Unref()
	d.in.SetNbSamples(int(part.len()))
	d.in.SetSampleFormat(astiav.SampleFormatFltp)
	d.in.SetSampleRate(media.SampleRate)
	d.in.SetChannelLayout(astiav.ChannelLayoutStereo)
	if err := d.in.AllocBuffer(0); err != nil {
		return err
	}
	copy(planeFloats(d.in, 0), part.left)
	copy(planeFloats(d.in, 1), part.right)
	d.in.SetPts(d.fed)
	d.fed += part.len()
	if err := d.graph.push(d.in); err != nil {
		return fmt.Errorf("reducing noise: %w", err)
	}
	return d.pull(take)
}

func (d *denoiser) pull(take func(stereo) error) error {
	for {
		d.out.Unref()
		err := d.graph.pull(d.out)
		if isAgain(err) || isEOF(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reducing noise: %w", err)
		}
		part := stereo{planeFloats(d.out, 0), planeFloats(d.out, 1)}
		n := min(d.skip, part.len())
		d.skip -= n
		part = part.cut(n, part.len())
		part = part.cut(0, min(part.len(), d.pushed-d.given))
		d.given += part.len()
		if err := take(part); err != nil {
			return err
		}
	}
}

// finish passes on the rest.
func (d *denoiser) finish(take func(stereo) error) error {
	if err := d.feed(newStereo(2*denoiseDelay), take); err != nil {
		return err
	}
	if err := d.graph.push(nil); err != nil {
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
	d.graph.close()
}

// denoiseFilters returns the filters that lower noise of a level of floorDB by reduceDB.
func denoiseFilters(reduceDB, floorDB float64) []string {
	reduceDB = min(max(reduceDB, 0.01), mostDenoiseDB)
	return []string{
		fmt.Sprintf("afftdn=nr=%.2f:nf=%.2f", reduceDB, floorDB),
		"aformat=sample_fmts=fltp:channel_layouts=stereo",
	}
}
