package edge

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// weights holds the networks of the judge of starts, then of the judge of ends, layer by layer: the
// weights, then the biases, each number as the upper half of its 32 bits, little-endian. TestTrain
// writes it.
//
//go:embed weights.bin
var weights []byte

// network judges whether a frame is speech. Its layers are fully connected.
type network []layer

// layer computes outputs from inputs. weights holds one row of inputs for each output.
type layer struct{ weights, bias []float32 }

// judge finds edges of one kind, starts or ends of speech. The first network judges each edge
// alone. The informed ones also know the profile of the recording, and their mean counts. Starts
// are sharp in every recording, so their judge does without a profile.
type judge struct {
	alone    network
	informed []network
}

const informedEnds = 3 // networks of the judge of ends that know the profile

// aloneSizes and informedSizes are the widths of the layers of networks.
func aloneSizes() []int    { return []int{inputs, 64, 24, 1} }
func informedSizes() []int { return []int{inputs + profiled, 96, 32, 1} }

// judges returns the judges of starts and of ends of speech.
var judges = sync.OnceValues(func() (starts, ends *judge) {
	rest := weights
	return decodeJudge(&rest, 0), decodeJudge(&rest, informedEnds)
})

// decodeJudge reads one judge from the start of data and removes it there.
func decodeJudge(data *[]byte, informed int) *judge {
	j := &judge{alone: decode(data, aloneSizes())}
	for range informed {
		j.informed = append(j.informed, decode(data, informedSizes()))
	}
	return j
}

// decode reads one network from the start of data and removes it there.
func decode(data *[]byte, sizes []int) (n network) {
	numbers := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16((*data)[2*i:])) << 16)
		}
		*data = (*data)[2*n:]
		return out
	}
	for i, width := range sizes[1:] {
		n = append(n, layer{weights: numbers(sizes[i] * width), bias: numbers(width)})
	}
	return n
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
