package voicenet

import (
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"roughcut/media/matrix"
)

// Sizes of the layers. A matrix holds one row for each output. A row holds the inputs of one step
// after the other.
const (
	bins   = 129 // of the spectrum
	wide   = 128 // outputs of the first and the last convolution, units of the LSTM
	narrow = 64  // outputs of the other convolutions
	gates  = 4 * wide
)

// layerSizes are the lengths of the layers in the file of weights, in its order.
func layerSizes() []int {
	return []int{
		wide * 3 * bins, wide, // first convolution and its biases
		narrow * 3 * wide, narrow,
		narrow * 2 * narrow, narrow, // its first tap only ever meets padding
		wide * narrow, wide, // its outer taps only ever meet padding
		gates * wide, gates * wide, gates, // LSTM: inputs, state, sum of both biases
		wide, 1, // output
	}
}

// weights are the numbers of the network, with interleaved matrices. They are read only.
type weights struct {
	spectrum, spectrumBias []float32
	half, halfBias         []float32
	quarter, quarterBias   []float32
	widen, widenBias       []float32
	input, state, gateBias []float32
	output                 []float32
	outputBias             float32
}

// ErrNoWeights means that the program was built without the weights of the network.
var ErrNoWeights = errors.New("the program was built without the voice network; run make native and build it again")

//go:embed weights
var files embed.FS

// weightsFile is the name of the file that fetch.sh writes.
const weightsFile = "weights/silero_v5.bin"

// load parses the embedded weights once. Errors: ErrNoWeights, or a file of another length.
var load = sync.OnceValues(func() (*weights, error) {
	raw, err := files.ReadFile(weightsFile)
	if err != nil {
		return nil, ErrNoWeights
	}
	return parseWeights(raw)
})

func parseWeights(raw []byte) (*weights, error) {
	var layers [][]float32
	rest := raw
	for _, n := range layerSizes() {
		if len(rest) < 4*n {
			return nil, fmt.Errorf("%s ends after %d bytes; run make native again", weightsFile, len(raw))
		}
		layer := make([]float32, n)
		for i := range layer {
			layer[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
		}
		layers, rest = append(layers, layer), rest[4*n:]
	}

	if len(rest) > 0 {
		return nil, fmt.Errorf("%s has %d extra bytes; run make native again", weightsFile, len(rest))
	}
	for layer, rows := range map[int]int{0: wide, 2: narrow, 4: narrow, 6: wide, 8: gates, 9: gates} {
		matrix.Interleave(layers[layer], rows)
	}
	return &weights{
		spectrum: layers[0], spectrumBias: layers[1],
		half: layers[2], halfBias: layers[3],
		quarter: layers[4], quarterBias: layers[5],
		widen: layers[6], widenBias: layers[7],
		input: layers[8], state: layers[9], gateBias: layers[10],
		output: layers[11], outputBias: layers[12][0],
	}, nil
}
