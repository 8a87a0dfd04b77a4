// Package matrix multiplies matrices of float32, for small neural networks. Results equal those
// from plain loops in Go, bit for bit on every processor.
package matrix

// Product is a product of a matrix and column vectors, plus a bias for each row. The number of rows
// is the length of the bias and divisible by Group, or by ManyRows if the number of columns is not
// divisible by Together. The matrix is interleaved: see Interleave.
type Product struct {
	Rows, Bias         []float32
	X, Out             []float32
	XStride, OutStride int // between columns
	Length, Columns    int // of a row; of X and Out
	// Skip and End leave out numbers of each column that are 0: the first ones, and those from End
	// on if it is not 0.
	Skip, End int
}

const (
	// Group is the number of rows that are interleaved.
	Group = 16
	// Together is the number of columns that are computed at once.
	Together = 4
	// ManyRows is the number of rows that are computed at once with a single column.
	ManyRows = 64
)

// Interleave reorders a matrix so that the first numbers of a group of rows come first, then their
// second numbers and so on, before the next group. One instruction so computes with several rows.
func Interleave(matrix []float32, rows int) {
	length := len(matrix) / rows
	of := make([]float32, Group*length)
	for at := 0; at < len(matrix); at += len(of) {
		copy(of, matrix[at:])
		for i := range length {
			for k := range Group {
				matrix[at+Group*i+k] = of[k*length+i]
			}
		}
	}
}

// Compute writes the product. Many sums at a time keep the processor busy while each of them waits
// for its last addition. Every sum adds in the same order, so it never depends on the others.
func (p Product) Compute() {
	var sums [64]float32
	whole := p.Columns / Together * Together
	end := p.Length
	if p.End > 0 {
		end = p.End
	}
	for r := 0; r < len(p.Bias); r += Group {
		rows := p.Rows[r*p.Length:][Group*p.Skip : Group*end]
		for c := 0; c < whole; c += Together {
			x := p.X[c*p.XStride+p.Skip : (c+Together-1)*p.XStride+end]
			dotColumns(rows, x, p.XStride, &sums)
			for k := range Together {
				p.writeSums(r, c+k, sums[Group*k:][:Group])
			}
		}
	}

	for r := 0; whole < p.Columns && r < len(p.Bias); r += ManyRows {
		rows := p.Rows[r*p.Length : (r+ManyRows)*p.Length]
		for c := whole; c < p.Columns; c++ {
			dotRows(rows, p.X[c*p.XStride:][:p.Length], &sums)
			p.writeSums(r, c, sums[:])
		}
	}
}

// writeSums writes the sums of column c from row r on.
func (p Product) writeSums(r, c int, sums []float32) {
	addTo(p.Out[c*p.OutStride+r:][:len(sums)], sums, p.Bias[r:][:len(sums)])
}

// goAddTo is addTo in Go.
func goAddTo(out, a, b []float32) {
	for k, x := range a {
		out[k] = x + b[k]
	}
}

// goDotColumns is dotColumns in Go.
func goDotColumns(rows, x []float32, stride int, out *[64]float32) {
	for c := range Together {
		goDot(rows, x[c*stride:][:len(rows)/Group], (*[Group]float32)(out[Group*c:]))
	}
}

// goDotRows is dotRows in Go.
func goDotRows(rows, x []float32, out *[64]float32) {
	for r := 0; r < ManyRows; r += Group {
		goDot(rows[r*len(x):][:Group*len(x)], x, (*[Group]float32)(out[r:]))
	}
}

// goDot writes the products of a group of interleaved rows and x to out.
func goDot(rows, x []float32, out *[Group]float32) {
	clear(out[:])
	for i, v := range x {
		for k, w := range rows[Group*i:][:Group] {
			out[k] += float32(w * v)
		}
	}
}
