// Command convert writes the weights of Silero VAD v5 for package voicenet:
//
//	convert silero_vad_v5.onnx silero_v5.bin
//
// It reads the 16 kHz branch of the ONNX file, orders each convolution by output, step and input,
// drops taps that only ever meet padding, and adds the two biases of the LSTM.
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: convert silero_vad_v5.onnx silero_v5.bin")
		os.Exit(2)
	}

	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	tensors, err := tensorsOf(raw)
	if err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	values, err := layout(tensors)
	if err != nil {
		return fmt.Errorf("read %s: %w", from, err)
	}
	out := make([]byte, 0, 4*len(values))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return os.WriteFile(to, out, 0o644)
}

// layout returns the values in the order of voicenet's layers. Errors: a tensor that is missing or
// has another size, a first layer that is not a Fourier transform.
func layout(tensors map[string][]float32) ([]float32, error) {
	sizes := map[string]int{
		"stft.forward_basis_buffer":     258 * 256,
		"encoder.0.reparam_conv.weight": 128 * 129 * 3, "encoder.0.reparam_conv.bias": 128,
		"encoder.1.reparam_conv.weight": 64 * 128 * 3, "encoder.1.reparam_conv.bias": 64,
		"encoder.2.reparam_conv.weight": 64 * 64 * 3, "encoder.2.reparam_conv.bias": 64,
		"encoder.3.reparam_conv.weight": 128 * 64 * 3, "encoder.3.reparam_conv.bias": 128,
		"decoder.rnn.weight_ih": 512 * 128, "decoder.rnn.weight_hh": 512 * 128,
		"decoder.rnn.bias_ih": 512, "decoder.rnn.bias_hh": 512,
		"decoder.decoder.2.weight": 128, "decoder.decoder.2.bias": 1,
	}
	for name, size := range sizes {
		if len(tensors[name]) != size {
			return nil, fmt.Errorf("tensor %s has %d values, want %d", name, len(tensors[name]), size)
		}
	}

	if err := checkFourier(tensors["stft.forward_basis_buffer"]); err != nil {
		return nil, err
	}
	var out []float32
	out = append(out, byStep(tensors["encoder.0.reparam_conv.weight"], 129, 0, 3)...)
	out = append(out, tensors["encoder.0.reparam_conv.bias"]...)
	out = append(out, byStep(tensors["encoder.1.reparam_conv.weight"], 128, 0, 3)...)
	out = append(out, tensors["encoder.1.reparam_conv.bias"]...)
	out = append(out, byStep(tensors["encoder.2.reparam_conv.weight"], 64, 1, 3)...)
	out = append(out, tensors["encoder.2.reparam_conv.bias"]...)
	out = append(out, byStep(tensors["encoder.3.reparam_conv.weight"], 64, 1, 2)...)
	out = append(out, tensors["encoder.3.reparam_conv.bias"]...)
	out = append(out, tensors["decoder.rnn.weight_ih"]...)
	out = append(out, tensors["decoder.rnn.weight_hh"]...)
	for i, b := range tensors["decoder.rnn.bias_ih"] {
		out = append(out, b+tensors["decoder.rnn.bias_hh"][i])
	}
	out = append(out, tensors["decoder.decoder.2.weight"]...)
	return append(out, tensors["decoder.decoder.2.bias"]...), nil
}

// byStep reorders a convolution of three taps from [output][input][tap] to [output][tap][input]. It
// keeps the taps [first, end).
func byStep(w []float32, inputs, first, end int) []float32 {
	outputs := len(w) / (3 * inputs)
	out := make([]float32, 0, outputs*(end-first)*inputs)
	for o := range outputs {
		for tap := first; tap < end; tap++ {
			for i := range inputs {
				out = append(out, w[(o*inputs+i)*3+tap])
			}
		}
	}

	return out
}

// checkFourier compares the filters with a Fourier transform behind a Hann window: 129 real parts,
// then 129 imaginary ones.
func checkFourier(basis []float32) error {
	const size = 256
	for k := range size/2 + 1 {
		for i := range size {
			window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/size)
			sin, cos := math.Sincos(2 * math.Pi * float64(k) * float64(i) / size)
			re, im := float64(basis[k*size+i]), float64(basis[(size/2+1+k)*size+i])
			if math.Abs(re-window*cos) > 1e-5 || math.Abs(im+window*sin) > 1e-5 {
				return fmt.Errorf("filter %d of the first layer is not a Fourier transform", k)
			}
		}
	}

	return nil
}
