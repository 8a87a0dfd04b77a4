package voicenet

// product is a product of a matrix and column vectors, plus a bias for each row. The number of rows
// is the length of the bias and divisible by manyRows. The matrix is interleaved.
type product struct {
	rows, bias         []float32
	x, out             []float32
	xStride, outStride int // between columns
	length, columns    int // of a row; of x and out
}

const (
	group    = 16 // rows that are interleaved
	together = 4  // columns that dotColumns computes at once
	manyRows = 64 // rows that dotRows computes at once
)

// interleave reorders a matrix so that the first numbers of a group of rows come first, then their
// second numbers and so on, before the next group. One instruction so computes with several rows.
func interleave(matrix []float32, rows int) {
	length := len(matrix) / rows
	of := make([]float32, group*length)
	for at := 0; at < len(matrix); at += len(of) {
		copy(of, matrix[at:])
		for i := range length {
			for k := range group {
				matrix[at+group*i+k] = of[k*length+i]
			}
		}
	}
}

// compute writes the product. Many sums at a time keep the processor busy while each of them waits
// for its last addition. Every sum adds in the same order, so it never depends on the others.
func (p product) compute() {
	var sums [64]float32
	whole := p.columns / together * together
	for r := 0; r < len(p.bias); r += group {
		rows := p.rows[r*p.length : (r+group)*p.length]
		for c := 0; c < whole; c += together {
			x := p.x[c*p.xStride : (c+together-1)*p.xStride+p.length]
			dotColumns(rows, x, p.xStride, &sums)
			for k := range together {
				p.put(r, c+k, sums[group*k:][:group])
			}
		}
	}
	for r := 0; whole < p.columns && r < len(p.bias); r += manyRows {
		rows := p.rows[r*p.length : (r+manyRows)*p.length]
		for c := whole; c < p.columns; c++ {
			dotRows(rows, p.x[c*p.xStride:][:p.length], &sums)
			p.put(r, c, sums[:])
		}
	}
}

// put writes the sums of column c from row r on.
func (p product) put(r, c int, sums []float32) {
	out, bias := p.out[c*p.outStride+r:][:len(sums)], p.bias[r:][:len(sums)]
	for k, s := range sums {
		out[k] = s + bias[k]
	}
}

// goDotColumns is dotColumns in Go.
func goDotColumns(rows, x []float32, stride int, out *[64]float32) {
	for c := range together {
		goDot(rows, x[c*stride:][:len(rows)/group], (*[group]float32)(out[group*c:]))
	}
}

// goDotRows is dotRows in Go.
func goDotRows(rows, x []float32, out *[64]float32) {
	for r := 0; r < manyRows; r += group {
		goDot(rows[r*len(x):][:group*len(x)], x, (*[group]float32)(out[r:]))
	}
}

// goDot writes the products of a group of interleaved rows and x to out.
func goDot(rows, x []float32, out *[group]float32) {
	clear(out[:])
	for i, v := range x {
		for k, w := range rows[group*i:][:group] {
			out[k] += float32(w * v)
		}
	}
}
