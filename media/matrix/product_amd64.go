package matrix

import "golang.org/x/sys/cpu"

// dotColumns writes the products of a group of interleaved rows and four columns to out, one column
// after the other. The columns of x are stride apart and as long as a row.
func dotColumns(rows, x []float32, stride int, out *[64]float32) {
	n := len(rows) / Group
	_ = x[(Together-1)*stride+n-1]
	if cpu.X86.HasAVX {
		dotColumnsAVX(&rows[0], &x[0], stride, n, out)
	} else {
		dotColumnsWithoutAVX(rows, x, stride, out)
	}
}

func dotColumnsWithoutAVX(rows, x []float32, stride int, out *[64]float32) {
	for r := 0; r < Group; r += 4 {
		dotColumnsSSE(&rows[r], &x[0], stride, len(rows)/Group, &out[r])
	}
}

// dotRows writes the products of 64 rows, four groups of interleaved ones, and one column to out.
func dotRows(rows, x []float32, out *[64]float32) {
	n := len(x)
	_ = rows[ManyRows*n-1]
	if cpu.X86.HasAVX {
		dotRowsAVX(&rows[0], &x[0], n, out)
	} else {
		dotRowsWithoutAVX(rows, x, out)
	}
}

func dotRowsWithoutAVX(rows, x []float32, out *[64]float32) {
	for r := 0; r < ManyRows; r += Group {
		dotRowsSSE(&rows[r*len(x)], &x[0], len(x), &out[r])
	}
}

//go:noescape
func dotColumnsAVX(rows, x *float32, stride, n int, out *[64]float32)

//go:noescape
func dotRowsAVX(rows, x *float32, n int, out *[64]float32)

// dotColumnsSSE computes four rows of a group and writes four sums for each column, which are 16
// numbers apart.
//
//go:noescape
func dotColumnsSSE(rows, x *float32, stride, n int, out *float32)

// dotRowsSSE computes one group of rows.
//
//go:noescape
func dotRowsSSE(rows, x *float32, n int, out *float32)

// addTo writes the sums of a and b, whose length is divisible by Group, to out.
func addTo(out, a, b []float32) {
	if len(a) == 0 {
		return
	}
	_, _ = out[len(a)-1], b[len(a)-1]
	addToSSE(&out[0], &a[0], &b[0], len(a))
}

//go:noescape
func addToSSE(out, a, b *float32, n int)
