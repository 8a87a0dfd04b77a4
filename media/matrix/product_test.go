package matrix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Products are the same as by the definition, bit by bit, for any number of columns.
func TestProductIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(random.NormFloat64())
		}
		return out
	}
	for _, columns := range []int{1, 3, 4, 5, 11} {
		for _, length := range []int{1, 7, 128} {
			const rows, stride = 128, 150
			matrix, bias, x := numbers(rows*length), numbers(rows), numbers(columns*stride)
			want := make([]float32, columns*rows)
			for c := range columns {
				for r := range rows {
					sum := float32(0)
					for i := range length {
						sum += float32(matrix[r*length+i] * x[c*stride+i])
					}
					want[c*rows+r] = sum + bias[r]
				}
			}
			Interleave(matrix, rows)
			got := make([]float32, len(want))
			Product{
				Rows: matrix, Bias: bias, X: x, XStride: stride,
				Out: got, OutStride: rows, Length: length, Columns: columns,
			}.Compute()
			if !slices.Equal(got, want) {
				t.Errorf("%d columns of %d: another product", columns, length)
			}
			goAddTo(got[:rows], got[:rows], bias)
			addTo(want[:rows], want[:rows], bias)
			if !slices.Equal(got, want) {
				t.Errorf("%d columns of %d: Go has another sum", columns, length)
			}
			var one, other [64]float32
			dotRows(matrix[:ManyRows*length], x[:length], &one)
			goDotRows(matrix[:ManyRows*length], x[:length], &other)
			if one != other {
				t.Errorf("%d rows of %d: Go has another product", ManyRows, length)
			}
			if columns >= Together {
				dotColumns(matrix[:Group*length], x, stride, &one)
				goDotColumns(matrix[:Group*length], x, stride, &other)
				if one != other {
					t.Errorf("%d columns of %d: Go has another product", Together, length)
				}
			}
		}
	}
}

// Zeros at the start and at the end of columns can be left out.
func TestProductWithoutZeros(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const rows, length, columns = 64, 30, 6
	p := Product{
		Rows: make([]float32, rows*length), Bias: make([]float32, rows),
		X: make([]float32, columns*length), XStride: length, OutStride: rows, Length: length, Columns: columns,
	}
	for i := range p.Rows {
		p.Rows[i] = float32(random.NormFloat64())
	}
	for _, zeros := range []struct{ skip, end int }{{10, 0}, {0, 20}, {10, 20}} {
		clear(p.X)
		for i := range p.X {
			if k := i % length; k >= zeros.skip && (zeros.end == 0 || k < zeros.end) {
				p.X[i] = float32(random.NormFloat64())
			}
		}
		p.Skip, p.End, p.Out = 0, 0, make([]float32, columns*rows)
		p.Compute()
		whole := p.Out
		p.Skip, p.End, p.Out = zeros.skip, zeros.end, make([]float32, columns*rows)
		p.Compute()
		if !slices.Equal(p.Out, whole) {
			t.Errorf("%+v: another product", zeros)
		}
	}
}
