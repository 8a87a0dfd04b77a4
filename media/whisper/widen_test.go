package whisper

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// Sizes of Whisper's base model.
const (
	baseWidth  = 512
	baseHeads  = 8
	baseLayers = 6
)

// baseSized writes a model of the sizes of Whisper's base with 16-bit weights, which computes what
// the test model computes, and returns its path. Every hidden state of the test model is there
// several times, with weights divided by that number, and the layers that the test model does not
// have add nothing. It takes the time of base and hears what the test model hears.
func baseSized(t testing.TB) string {
	t.Helper()
	small, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ggml-base-sized.bin")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	w := widening{in: bytes.NewReader(small), out: out}
	if err := errors.Join(w.header(int64(len(small))), w.tensors(), out.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// widening copies a model into a wider one.
type widening struct {
	in     *bytes.Reader
	out    io.Writer
	from   header
	copies int // of each hidden state
}

// header copies everything before the tensors.
func (w *widening) header(size int64) error {
	parsed := &modelReader{file: w.in, buf: bufio.NewReader(w.in), size: size}
	if err := errors.Join(parsed.read(&w.from), parsed.skipFiltersAndVocabulary(w.from)); err != nil {
		return err
	}
	w.copies = baseWidth / int(w.from.AudioState)
	to := w.from
	to.AudioState, to.AudioHead, to.AudioLayer = baseWidth, baseHeads, baseLayers
	to.TextState, to.TextHead, to.TextLayer = baseWidth, baseHeads, baseLayers
	to.Format = kindF16
	fixed := int64(binary.Size(to))
	if _, err := w.in.Seek(fixed, io.SeekStart); err != nil {
		return err
	}
	if err := binary.Write(w.out, binary.LittleEndian, to); err != nil {
		return err
	}
	_, err := io.CopyN(w.out, w.in, parsed.at-fixed)
	return err
}

const (
	kindF32  = 0
	kindF16  = 1
	kindQ8_0 = 8
)

// tensor is one of a model. Numbers of its first dimension follow each other.
type tensor struct {
	name    string
	dims    []int
	kind    int32
	numbers []float32
}

// tensors copies the tensors. For layers that the narrow model lacks, it copies tensors of earlier
// layers.
func (w *widening) tensors() error {
	for {
		t, err := w.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		wide := w.widen(t)
		if err := w.write(wide); err != nil {
			return err
		}
		parts := strings.SplitN(t.name, ".", 4)
		if len(parts) < 4 || parts[1] != "blocks" {
			continue
		}
		layer, err := strconv.Atoi(parts[2])
		if err != nil {
			return err
		}
		if strings.HasPrefix(parts[3], "mlp.2.") || strings.Contains(parts[3], ".out.") {
			wide.numbers = make([]float32, len(wide.numbers)) // the layer adds nothing
		}
		for layer += int(w.from.AudioLayer); layer < baseLayers; layer += int(w.from.AudioLayer) {
			wide.name = fmt.Sprintf("%s.blocks.%d.%s", parts[0], layer, parts[3])
			if err := w.write(wide); err != nil {
				return err
			}
		}
	}
}

// widen returns a tensor of the wide model.
func (w *widening) widen(t tensor) tensor {
	repeated := func(n int) []int {
		index := make([]int, n*w.copies)
		for i := range index {
			index[i] = i % n
		}
		return index
	}
	// Heads are twice as wide, and each head of the narrow model is there several times.
	heads := make([]int, baseWidth)
	narrow, wide := int(w.from.AudioState/w.from.AudioHead), baseWidth/baseHeads
	for i := range heads {
		heads[i] = i/wide%int(w.from.AudioHead)*narrow + i%wide%narrow
	}
	share := 1 / float64(w.copies)
	// The product of a query and a key grows with the width of a head, and is divided by its root.
	closer := math.Pow(float64(narrow)/float64(wide), 0.25)
	last := len(t.dims) - 1
	switch name := t.name; {
	case strings.HasSuffix(name, "positional_embedding"), strings.HasSuffix(name, "token_embedding.weight"):
		return t.picked(0, repeated(t.dims[0]), 1)
	case strings.HasSuffix(name, "conv1.weight"), strings.HasSuffix(name, "conv1.bias"),
		strings.HasSuffix(name, "conv2.bias"):
		return t.picked(last, repeated(t.dims[last]), 1)
	case strings.HasSuffix(name, "conv2.weight"):
		return t.picked(1, repeated(t.dims[1]), share).picked(2, repeated(t.dims[2]), 1)
	case strings.HasPrefix(name, "decoder.ln."):
		return t.picked(0, repeated(t.dims[0]), share) // each logit is a sum over all hidden states
	case strings.HasSuffix(name, ".query.weight"), strings.HasSuffix(name, ".key.weight"):
		return t.picked(0, repeated(t.dims[0]), share).picked(1, heads, closer)
	case strings.HasSuffix(name, ".query.bias"):
		return t.picked(0, heads, closer)
	case strings.HasSuffix(name, ".value.weight"):
		return t.picked(0, repeated(t.dims[0]), share).picked(1, heads, 1)
	case strings.HasSuffix(name, ".value.bias"):
		return t.picked(0, heads, 1)
	case strings.HasSuffix(name, ".out.weight"):
		return t.picked(0, heads, share).picked(1, repeated(t.dims[1]), 1)
	case last == 1:
		return t.picked(0, repeated(t.dims[0]), share).picked(1, repeated(t.dims[1]), 1)
	}
	return t.picked(0, repeated(t.dims[0]), 1)
}

// picked returns the tensor with the slices of one dimension at the given indexes, multiplied.
func (t tensor) picked(dim int, index []int, factor float64) tensor {
	inner, outer := 1, 1
	for i, n := range t.dims {
		if i < dim {
			inner *= n
		} else if i > dim {
			outer *= n
		}
	}
	out := tensor{t.name, append([]int(nil), t.dims...), t.kind, make([]float32, 0, inner*outer*len(index))}
	out.dims[dim] = len(index)
	for o := range outer {
		for _, i := range index {
			at := (o*t.dims[dim] + i) * inner
			for _, x := range t.numbers[at : at+inner] {
				out.numbers = append(out.numbers, float32(float64(x)*factor))
			}
		}
	}
	return out
}

// read reads a tensor.
func (w *widening) read() (tensor, error) {
	var head struct{ Dims, NameBytes, Kind int32 }
	if err := binary.Read(w.in, binary.LittleEndian, &head); err != nil {
		return tensor{}, err
	}
	dims, name := make([]int32, head.Dims), make([]byte, head.NameBytes)
	err := errors.Join(
		binary.Read(w.in, binary.LittleEndian, dims),
		binary.Read(w.in, binary.LittleEndian, name),
	)
	if err != nil {
		return tensor{}, err
	}
	t := tensor{name: string(name), kind: head.Kind}
	n := 1
	for _, d := range dims {
		t.dims = append(t.dims, int(d))
		n *= int(d)
	}
	t.numbers = make([]float32, n)
	switch head.Kind {
	case kindF32:
		return t, binary.Read(w.in, binary.LittleEndian, t.numbers)
	case kindF16:
		halves := make([]uint16, n)
		if err := binary.Read(w.in, binary.LittleEndian, halves); err != nil {
			return tensor{}, err
		}
		for i, h := range halves {
			t.numbers[i] = fromHalf(h)
		}
	case kindQ8_0:
		blocks := make([]struct {
			Scale   uint16
			Numbers [32]int8
		}, n/32)
		if err := binary.Read(w.in, binary.LittleEndian, blocks); err != nil {
			return tensor{}, err
		}
		for i := range t.numbers {
			t.numbers[i] = fromHalf(blocks[i/32].Scale) * float32(blocks[i/32].Numbers[i%32])
		}
		t.kind = kindF16
	default:
		return tensor{}, fmt.Errorf("%s has the type %d", name, head.Kind)
	}
	return t, nil
}

// write writes a tensor.
func (w *widening) write(t tensor) error {
	dims := make([]int32, len(t.dims))
	for i, n := range t.dims {
		dims[i] = int32(n)
	}
	head := struct{ Dims, NameBytes, Kind int32 }{int32(len(dims)), int32(len(t.name)), t.kind}
	var data any = t.numbers
	if t.kind == kindF16 {
		halves := make([]uint16, len(t.numbers))
		for i, x := range t.numbers {
			halves[i] = toHalf(x)
		}
		data = halves
	}
	for _, part := range []any{head, dims, []byte(t.name), data} {
		if err := binary.Write(w.out, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// fromHalf converts a number of IEEE 754 binary16.
func fromHalf(h uint16) float32 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	if exponent == 0 {
		return float32(sign * math.Ldexp(fraction, -24))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// toHalf converts a number to IEEE 754 binary16. Larger ones become the largest finite number.
func toHalf(x float32) uint16 {
	sign, size := uint16(math.Float32bits(x)>>31<<15), math.Abs(float64(x))
	if size == 0 {
		return sign
	}
	_, exponent := math.Frexp(size)
	exponent = max(exponent, -13) // smaller ones are multiples of the smallest
	steps := math.RoundToEven(math.Ldexp(size, 11-exponent))
	if exponent == -13 && steps < 1024 {
		return sign | uint16(steps)
	}
	return sign | min(uint16(exponent+13)<<10+uint16(steps), 0x7bff)
}
