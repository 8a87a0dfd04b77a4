package voicenet

// product is a product of a matrix and column vectors, plus a bias for each row. The number of rows
// is the length of the bias and divisible by 16. The matrix is interleaved.
type product struct {
	rows, bias         []float32
	x, out             []float32
	xStride, outStride int // between columns
	length, columns    int // of a row; of x and out
}

// interleave reorders a matrix so that the first numbers of four rows come first, then their second
// numbers and so on, before the next four rows. One instruction so computes with four rows.
func interleave(matrix []float32, rows int) {
	length := len(matrix) / rows
	group := make([]float32, 4*length)
	for at := 0; at < len(matrix); at += len(group) {
		copy(group, matrix[at:])
		for i := range length {
			for k := range 4 {
				matrix[at+4*i+k] = group[k*length+i]
			}
		}
	}
}

// compute writes the product. Sixteen sums at a time keep the processor busy while each of them
// waits for its last addition. Every sum adds in the same order, so it never depends on the others.
func (p product) compute() {
	var sums [16]float32
	whole := p.columns / 4 * 4
	for r := 0; r < len(p.bias); r += 4 {
		rows := p.rows[r*p.length : (r+4)*p.length]
		for c := 0; c < whole; c += 4 {
			x := p.x[c*p.xStride : (c+3)*p.xStride+p.length]
			dotColumns(rows, x, p.xStride, &sums)
			for k := range 4 {
				p.put(r, c+k, sums[4*k:4*k+4])
			}
		}
	}
	for r := 0; r < len(p.bias); r += 16 {
		rows := p.rows[r*p.length : (r+16)*p.length]
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
func goDotColumns(rows, x []float32, stride int, out *[16]float32) {
	for c := range 4 {
		goDot4(rows, x[c*stride:][:len(rows)/4], out[4*c:])
	}
}

// goDotRows is dotRows in Go.
func goDotRows(rows, x []float32, out *[16]float32) {
	for g := range 4 {
		goDot4(rows[4*g*len(x):][:4*len(x)], x, out[4*g:])
	}
}

// goDot4 writes the products of four interleaved rows and x to out.
func goDot4(rows, x, out []float32) {
	var s0, s1, s2, s3 float32
	for i, v := range x {
		four := rows[4*i:][:4]
		s0 += float32(four[0] * v)
		s1 += float32(four[1] * v)
		s2 += float32(four[2] * v)
		s3 += float32(four[3] * v)
	}
	out[0], out[1], out[2], out[3] = s0, s1, s2, s3
}
