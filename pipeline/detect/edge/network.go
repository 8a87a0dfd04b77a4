package edge

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// weights holds the networks for starts and for ends of speech, layer by layer: the weights, then
// the biases, each number as the upper half of its 32 bits, little-endian. TestTrain writes it.
//
//go:embed weights.bin
var weights []byte

// network judges whether a frame is speech. Its layers are fully connected.
type network []layer

// layer computes outputs from inputs. weights holds one row of inputs for each output.
type layer struct{ weights, bias []float32 }

// sizes are the widths of the network's layers.
func sizes() []int { return []int{inputs, 64, 24, 1} }

// networks returns the networks for starts and for ends of speech.
var networks = sync.OnceValues(func() (starts, ends *network) {
	rest := weights
	return decode(&rest), decode(&rest)
})

// decode reads one network from the start of data and removes it there.
func decode(data *[]byte) *network {
	numbers := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16((*data)[2*i:])) << 16)
		}
		*data = (*data)[2*n:]
		return out
	}
	var n network
	for i, width := range sizes()[1:] {
		n = append(n, layer{weights: numbers(sizes()[i] * width), bias: numbers(width)})
	}
	return &n
}

// encode appends a network to data in the form that decode reads.
func (n network) encode(data []byte) []byte {
	for _, l := range n {
		for _, x := range append(append([]float32(nil), l.weights...), l.bias...) {
			rounded := math.Float32bits(x) + 1<<15
			data = binary.LittleEndian.AppendUint16(data, uint16(rounded>>16))
		}
	}
	return data
}

// logit returns the logarithm of the odds that a frame with these features is speech.
func (n network) logit(x []float32) float32 {
	return n.forward(x)[len(n)-1][0]
}

// forward returns the outputs of each layer. Conversions keep the processor from fusing products
// and sums, which would make results depend on it.
func (n network) forward(x []float32) (outputs [][]float32) {
	for i, l := range n {
		out := l.sums(x)
		if i+1 < len(n) {
			for j, sum := range out {
				out[j] = max(sum, 0)
			}
		}
		outputs = append(outputs, out)
		x = out
	}
	return outputs
}

// sums returns the biases plus the weighted inputs. It adds four sums at a time, because each of
// them waits for its last addition.
func (l layer) sums(x []float32) []float32 {
	out := slices.Clone(l.bias)
	n, j := len(x), 0
	for ; j+4 <= len(out); j += 4 {
		rows := l.weights[j*n : (j+4)*n]
		a, b, c, d := rows[:n], rows[n:2*n], rows[2*n:3*n], rows[3*n:4*n]
		s := (*[4]float32)(out[j:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		for k, v := range x {
			s0 += float32(a[k] * v)
			s1 += float32(b[k] * v)
			s2 += float32(c[k] * v)
			s3 += float32(d[k] * v)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
	for ; j < len(out); j++ {
		for k, w := range l.weights[j*n : (j+1)*n] {
			out[j] += float32(w * x[k])
		}
	}
	return out
}
