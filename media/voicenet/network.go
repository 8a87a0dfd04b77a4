package voicenet

import (
	"math"
	"slices"

	"roughcut/media/fourier"
	"roughcut/media/matrix"
)

const (
	// SampleRate is the sample rate of the audio in Hz.
	SampleRate = 16000
	// WindowSamples is the number of samples behind each probability: 32 ms.
	WindowSamples = 512

	contextSamples = 64 // of the window before, which the network hears too
	padSamples     = 64 // mirrored after the window
	hopSamples     = 128
	steps          = 4  // spectra in a window
	batch          = 64 // windows that are computed at once, so that weights stay in the cache
	// full is the number of samples of a batch.
	full = contextSamples + batch*WindowSamples
)

// Network turns a stream of audio into probabilities of voice. Create one with New. It is not safe
// for concurrent use.
type Network struct {
	weights       *weights
	spectrometer  *spectrometer
	samples       []float32 // the context, then samples that are not processed yet
	probabilities []byte
	hidden, cell  [wide]float32
	scratch       scratch
	silent        bool // scratch holds the result of a batch of digital silence
}

// scratch holds the layers of a batch. Spectra and the first convolution keep a row of zeros before
// and after the steps of each window.
type scratch struct {
	spectra, first, second, third, fourth, gates []float32
}

// New returns a network without audio. Errors: ErrNoWeights.
func New() (*Network, error) {
	w, err := load()
	if err != nil {
		return nil, err
	}
	n := &Network{weights: w, spectrometer: newSpectrometer(), samples: make([]float32, contextSamples, full)}
	n.scratch = scratch{
		spectra: make([]float32, batch*(steps+2)*bins),
		first:   make([]float32, batch*(steps+2)*wide),
		second:  make([]float32, batch*2*narrow),
		third:   make([]float32, batch*narrow),
		fourth:  make([]float32, batch*wide),
		gates:   make([]float32, batch*gates),
	}
	return n, nil
}

// Add hears more mono samples at SampleRate.
func (n *Network) Add(samples []int16) {
	for len(samples) > 0 {
		k := min(len(samples), full-len(n.samples))
		pending := len(n.samples)
		n.samples = n.samples[:pending+k]
		for i, s := range samples[:k] {
			n.samples[pending+i] = float32(s) / 32768
		}
		if samples = samples[k:]; len(n.samples) == full {
			n.hear(batch)
		}
	}
}

// Probabilities ends the stream and returns the probability of voice in each window of
// WindowSamples, 0-255 for 0-1. Silence fills the last window. Do not use the network afterwards.
func (n *Network) Probabilities() []byte {
	windows := (len(n.samples) - contextSamples + WindowSamples - 1) / WindowSamples
	for len(n.samples) < contextSamples+windows*WindowSamples {
		n.samples = append(n.samples, 0)
	}
	if windows > 0 {
		n.hear(windows)
	}
	return n.probabilities
}

// hear computes the first windows of the pending samples and keeps the context of the next one.
func (n *Network) hear(windows int) {
	const together = fourier.Lanes * 2 / steps
	silent := !slices.ContainsFunc(n.samples, func(s float32) bool { return s != 0 })
	if !silent || !n.silent {
		for i := 0; i < windows; i += together {
			n.spectra(i, min(together, windows-i))
		}
		n.encode(windows)
	}

	n.silent = silent && windows == batch
	for i := range windows {
		n.probabilities = append(n.probabilities, n.remember(i))
	}
	n.samples = n.samples[:copy(n.samples, n.samples[windows*WindowSamples:])]
}

// spectra computes the magnitudes of the steps of a number of windows from the first on.
func (n *Network) spectra(first, windows int) {
	f := n.spectrometer
	for w := range windows {
		var audio [contextSamples + WindowSamples + padSamples]float32
		used := copy(audio[:contextSamples+WindowSamples], n.samples[(first+w)*WindowSamples:])
		for k := range padSamples {
			audio[used+k] = audio[used-2-k]
		}
		for pair := range steps / 2 {
			at := 2 * pair * hopSamples
			f.loadLane(w*steps/2+pair, audio[at:], audio[at+hopSamples:])
		}
	}

	f.transform.Forward(&f.re, &f.im)
	for w := range windows {
		rows := n.scratch.spectra[(first+w)*(steps+2)*bins:]
		for pair := range steps / 2 {
			step := 2*pair + 1
			f.magnitudes(w*steps/2+pair, rows[step*bins:][:bins], rows[(step+1)*bins:][:bins])
		}
	}
}

// encode computes the convolutions and the input of the LSTM for a number of windows.
func (n *Network) encode(windows int) {
	w, s := n.weights, &n.scratch
	for step := range steps {
		p := matrix.Product{
			Rows: w.spectrum, Bias: w.spectrumBias, X: s.spectra[step*bins:], XStride: (steps + 2) * bins,
			Out: s.first[(step+1)*wide:], OutStride: (steps + 2) * wide, Length: 3 * bins, Columns: windows,
		}
		switch step { // next to the first and the last step are zeros
		case 0:
			p.Skip = bins
		case steps - 1:
			p.End = 2 * bins
		}

		multiplyReLU(p)
	}

	for step := range steps / 2 {
		p := matrix.Product{
			Rows: w.half, Bias: w.halfBias, X: s.first[2*step*wide:], XStride: (steps + 2) * wide,
			Out: s.second[step*narrow:], OutStride: 2 * narrow, Length: 3 * wide, Columns: windows,
		}
		if step == 0 {
			p.Skip = wide
		}
		multiplyReLU(p)
	}

	multiplyReLU(matrix.Product{
		Rows: w.quarter, Bias: w.quarterBias, X: s.second, XStride: 2 * narrow,
		Out: s.third, OutStride: narrow, Length: 2 * narrow, Columns: windows,
	})
	multiplyReLU(matrix.Product{
		Rows: w.widen, Bias: w.widenBias, X: s.third, XStride: narrow,
		Out: s.fourth, OutStride: wide, Length: narrow, Columns: windows,
	})
	matrix.Product{
		Rows: w.input, Bias: w.gateBias, X: s.fourth, XStride: wide,
		Out: s.gates, OutStride: gates, Length: wide, Columns: windows,
	}.Compute()
}

// multiplyReLU computes a product and clears negative results.
func multiplyReLU(p matrix.Product) {
	p.Compute()
	for c := range p.Columns {
		out := p.Out[c*p.OutStride:][:len(p.Bias)]
		for i, x := range out {
			out[i] = max(x, 0)
		}
	}
}

// remember feeds window i of the batch to the LSTM and returns the probability of voice. The gates
// are in the order of PyTorch: input, forget, cell, output.
func (n *Network) remember(i int) byte {
	w := n.weights
	var sum [gates]float32
	matrix.Product{
		Rows: w.state, Bias: n.scratch.gates[i*gates:][:gates], X: n.hidden[:], XStride: wide,
		Out: sum[:], OutStride: gates, Length: wide, Columns: 1,
	}.Compute()
	var x [gates]float64
	for k, s := range sum {
		x[k] = -float64(s)
	}
	for k := 2 * wide; k < 3*wide; k++ {
		x[k] *= 2 // tanh(x) is 2 sigmoid(2x) - 1
	}
	sigmoids(x[:])
	var state [wide]float64
	for k := range wide {
		in, forget, tanh := x[k], x[wide+k], 2*x[2*wide+k]-1
		n.cell[k] = float32(forget*float64(n.cell[k]) + in*tanh)
		state[k] = -2 * float64(n.cell[k])
	}

	sigmoids(state[:])
	logit := [4]float64{-float64(w.outputBias)}
	for k := range wide {
		n.hidden[k] = float32(x[3*wide+k] * (2*state[k] - 1))
		logit[0] -= float64(max(n.hidden[k], 0) * w.output[k])
	}

	logit[0] = float64(float32(logit[0]))
	sigmoids(logit[:])
	return byte(math.Round(255 * logit[0]))
}
