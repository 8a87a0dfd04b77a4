package voicenet

import "math"

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
)

// Network turns a stream of audio into probabilities of voice. Create one with New. It is not safe
// for concurrent use.
type Network struct {
	weights       *weights
	fourier       *fourier
	samples       []float32 // the context, then what has not been heard yet
	probabilities []byte
	hidden, cell  [wide]float32
	scratch       scratch
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
	return &Network{weights: w, fourier: newFourier(), samples: make([]float32, contextSamples), scratch: scratch{
		spectra: make([]float32, batch*(steps+2)*bins),
		first:   make([]float32, batch*(steps+2)*wide),
		second:  make([]float32, batch*2*narrow),
		third:   make([]float32, batch*narrow),
		fourth:  make([]float32, batch*wide),
		gates:   make([]float32, batch*gates),
	}}, nil
}

// Add hears more mono samples at SampleRate.
func (n *Network) Add(samples []int16) {
	const full = contextSamples + batch*WindowSamples
	for len(samples) > 0 {
		k := min(len(samples), full-len(n.samples))
		for _, s := range samples[:k] {
			n.samples = append(n.samples, float32(s)/32768)
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
	for i := range windows {
		n.spectra(i)
	}
	n.encode(windows)
	for i := range windows {
		n.probabilities = append(n.probabilities, n.remember(i))
	}
	n.samples = n.samples[:copy(n.samples, n.samples[windows*WindowSamples:])]
}

// spectra computes the magnitudes of the steps of window i.
func (n *Network) spectra(i int) {
	var audio [contextSamples + WindowSamples + padSamples]float32
	used := copy(audio[:contextSamples+WindowSamples], n.samples[i*WindowSamples:])
	for k := range padSamples {
		audio[used+k] = audio[used-2-k]
	}
	rows := n.scratch.spectra[i*(steps+2)*bins:]
	for step := 0; step < steps; step += 2 {
		at := step * hopSamples
		n.fourier.magnitudes(
			audio[at:at+frameSamples], audio[at+hopSamples:at+hopSamples+frameSamples],
			rows[(step+1)*bins:][:bins], rows[(step+2)*bins:][:bins],
		)
	}
}

// encode computes the convolutions and the input of the LSTM for a number of windows.
func (n *Network) encode(windows int) {
	w, s := n.weights, &n.scratch
	for step := range steps {
		convolve(product{
			rows: w.spectrum, bias: w.spectrumBias, x: s.spectra[step*bins:], xStride: (steps + 2) * bins,
			out: s.first[(step+1)*wide:], outStride: (steps + 2) * wide, length: 3 * bins, columns: windows,
		})
	}
	for step := range steps / 2 {
		convolve(product{
			rows: w.half, bias: w.halfBias, x: s.first[2*step*wide:], xStride: (steps + 2) * wide,
			out: s.second[step*narrow:], outStride: 2 * narrow, length: 3 * wide, columns: windows,
		})
	}
	convolve(product{
		rows: w.quarter, bias: w.quarterBias, x: s.second, xStride: 2 * narrow,
		out: s.third, outStride: narrow, length: 2 * narrow, columns: windows,
	})
	convolve(product{
		rows: w.widen, bias: w.widenBias, x: s.third, xStride: narrow,
		out: s.fourth, outStride: wide, length: narrow, columns: windows,
	})
	product{
		rows: w.input, bias: w.gateBias, x: s.fourth, xStride: wide,
		out: s.gates, outStride: gates, length: wide, columns: windows,
	}.compute()
}

// convolve computes a product and clears negative results.
func convolve(p product) {
	p.compute()
	for c := range p.columns {
		out := p.out[c*p.outStride:][:len(p.bias)]
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
	product{
		rows: w.state, bias: n.scratch.gates[i*gates:][:gates], x: n.hidden[:], xStride: wide,
		out: sum[:], outStride: gates, length: wide, columns: 1,
	}.compute()
	logit := float64(w.outputBias)
	for k := range wide {
		in, forget, out := sigmoid(sum[k]), sigmoid(sum[wide+k]), sigmoid(sum[3*wide+k])
		cell := forget*float64(n.cell[k]) + in*tanh(sum[2*wide+k])
		n.cell[k] = float32(cell)
		n.hidden[k] = float32(out * tanh(float32(cell)))
		logit += float64(max(n.hidden[k], 0) * w.output[k])
	}
	return byte(math.Round(255 * sigmoid(float32(logit))))
}

func sigmoid(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }

func tanh(x float32) float64 { return 2/(1+math.Exp(-2*float64(x))) - 1 }
