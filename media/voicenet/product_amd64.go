package voicenet

// dotColumns writes the products of four interleaved rows and four columns to out, one column after
// the other. The columns of x are stride apart and as long as a row.
func dotColumns(rows, x []float32, stride int, out *[16]float32) {
	n := len(rows) / 4
	_ = x[3*stride+n-1]
	dotColumnsSSE(&rows[0], &x[0], stride, n, out)
}

// dotRows writes the products of 16 interleaved rows and one column to out.
func dotRows(rows, x []float32, out *[16]float32) {
	_ = rows[16*len(x)-1]
	dotRowsSSE(&rows[0], &x[0], len(x), out)
}

//go:noescape
func dotColumnsSSE(rows, x *float32, stride, n int, out *[16]float32)

//go:noescape
func dotRowsSSE(rows, x *float32, n int, out *[16]float32)
