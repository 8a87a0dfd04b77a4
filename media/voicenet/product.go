package voicenet

// product is a product of a matrix and column vectors, plus a bias for each row. The number of rows
// is the length of the bias and divisible by 4.
type product struct {
	rows, bias         []float32
	x, out             []float32
	xStride, outStride int // between columns
	length, columns    int // of a row; of x and out
}

// compute writes the product. Four rows at a time stay in the cache while all columns pass.
func (p product) compute() {
	var sums [4]float32
	for r := 0; r < len(p.bias); r += 4 {
		rows := p.rows[r*p.length : (r+4)*p.length]
		for c := range p.columns {
			dot4(rows, p.x[c*p.xStride:][:p.length], &sums)
			out := p.out[c*p.outStride+r:][:4]
			for k, s := range sums {
				out[k] = s + p.bias[r+k]
			}
		}
	}
}

// dot4 returns in out the products of x with four rows, which follow one another.
func dot4(rows, x []float32, out *[4]float32) {
	n := len(x)
	a, b, c, d := rows[:n], rows[n:][:n], rows[2*n:][:n], rows[3*n:][:n]
	var s0, s1, s2, s3 float32
	for i, v := range x {
		s0 += a[i] * v
		s1 += b[i] * v
		s2 += c[i] * v
		s3 += d[i] * v
	}
	out[0], out[1], out[2], out[3] = s0, s1, s2, s3
}
