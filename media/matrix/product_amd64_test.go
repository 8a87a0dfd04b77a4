package matrix

import (
	"math/rand/v2"
	"testing"
)

// Processors without AVX compute the same products, bit by bit.
func TestProductWithoutAVX(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const length, stride = 129, 150
	matrix, x := make([]float32, ManyRows*length), make([]float32, Together*stride)
	for _, numbers := range [][]float32{matrix, x} {
		for i := range numbers {
			numbers[i] = float32(random.NormFloat64())
		}
	}
	var got, want [64]float32
	dotRowsWithoutAVX(matrix, x[:length], &got)
	goDotRows(matrix, x[:length], &want)
	if got != want {
		t.Error("rows: another product")
	}
	dotColumnsWithoutAVX(matrix[:Group*length], x, stride, &got)
	goDotColumns(matrix[:Group*length], x, stride, &want)
	if got != want {
		t.Error("columns: another product")
	}
}
