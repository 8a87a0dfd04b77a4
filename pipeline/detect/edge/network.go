package edge

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"roughcut/media/matrix"
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
	j := &judge{alone: decodeNetwork(data, aloneSizes())}
	for range informed {
		j.informed = append(j.informed, decodeNetwork(data, informedSizes()))
	}
	return j
}

// decodeNetwork reads one network from the start of data and removes it there.
func decodeNetwork(data *[]byte, sizes []int) (n network) {
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

// dense is a network that judges many frames at once. It reuses its memory, so one goroutine at a
// time may use it.
type dense struct {
	hidden []denseLayer
	last   layer       // with one output
	memory [][]float32 // of the inputs, and of the outputs of each hidden layer
}

// denseLayer is a layer for matrix.Product. The biases are the weights of a first input, which is
// 1, so that sums start with them.
type denseLayer struct {
	rows  []float32 // interleaved; rows of zeros fill the last group
	zeros []float32 // for each row
}

// dense returns the network in the layout for many frames.
func (n network) dense() (d dense) {
	for _, l := range n[:len(n)-1] {
		outputs := len(l.bias)
		length, rows := 1+len(l.weights)/outputs, (outputs+matrix.Group-1)/matrix.Group*matrix.Group
		m := denseLayer{rows: make([]float32, rows*length), zeros: make([]float32, rows)}
		for j, bias := range l.bias {
			m.rows[j*length] = bias
			copy(m.rows[j*length+1:], l.weights[j*(length-1):][:length-1])
		}

		matrix.Interleave(m.rows, rows)
		d.hidden = append(d.hidden, m)
	}

	d.last, d.memory = n[len(n)-1], make([][]float32, len(n))
	return d
}

// columns are the inputs or outputs of many frames. Each column starts with 1.
type columns struct {
	values        []float32
	stride, count int
}

// columns returns columns of at least count frames, whose number suits matrix.Product. They are the
// inputs of the network, or the outputs of a layer counted from 1. Their values are undefined.
func (d dense) columns(layer, inputs, count int) columns {
	count = (count + matrix.Together - 1) / matrix.Together * matrix.Together
	size := (1 + inputs) * count
	d.memory[layer] = slices.Grow(d.memory[layer][:0], size)[:size]
	c := columns{values: d.memory[layer], stride: 1 + inputs, count: count}
	for i := 0; i < len(c.values); i += c.stride {
		c.values[i] = 1
	}
	return c
}

// of returns the values of a frame.
func (c columns) of(frame int) []float32 { return c.values[frame*c.stride:][1:c.stride] }

// logits returns the logarithms of the odds that frames with these features are speech.
func (d dense) logits(x columns) []float32 {
	for i, l := range d.hidden {
		out := d.columns(i+1, len(l.zeros), x.count)
		matrix.Product{
			Rows: l.rows, Bias: l.zeros, X: x.values, XStride: x.stride,
			Out: out.values[1:], OutStride: out.stride, Length: len(l.rows) / len(l.zeros), Columns: x.count,
		}.Compute()
		for i, sum := range out.values {
			out.values[i] = max(sum, 0)
		}
		x = out
	}

	logits := make([]float32, x.count)
	for i := range logits {
		logits[i] = d.last.bias[0]
		for k, v := range x.of(i)[:len(d.last.weights)] {
			logits[i] += float32(d.last.weights[k] * v)
		}
	}

	return logits
}
