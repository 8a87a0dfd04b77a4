package main

import (
	"bytes"
	"testing"
)

func TestDamagedNetworksAreRefused(t *testing.T) {
	deep := bytes.Repeat([]byte{0x3a, 0x7f}, 100)
	for name, raw := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("not a network"),
		"a length too long": {0x3a, 0xff, 0xff, 0x03},
		"cut short":         deep[:99],
		"without branches":  {0x3a, 0x02, 0x0a, 0x00},
	} {
		if tensors, err := tensorsOf(raw); err == nil {
			t.Errorf("%s gives %d tensors", name, len(tensors))
		}
	}
	if _, err := layout(map[string][]float32{}); err == nil {
		t.Error("a network without layers is accepted")
	}
}

func TestConvolutionsAreOrderedByStep(t *testing.T) {
	// Two outputs with two inputs of three taps.
	w := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	got := byStep(w, 2, 1, 3)
	for i, want := range []float32{2, 5, 3, 6, 8, 11, 9, 12} {
		if got[i] != want {
			t.Fatalf("got %v", got)
		}
	}
}
