//go:build !amd64

package matrix

// dotColumns writes the products of a group of interleaved rows and four columns to out, one column
// after the other. The columns of x are stride apart and as long as a row.
func dotColumns(rows, x []float32, stride int, out *[64]float32) { goDotColumns(rows, x, stride, out) }

// dotRows writes the products of 64 rows, four groups of interleaved ones, and one column to out.
func dotRows(rows, x []float32, out *[64]float32) { goDotRows(rows, x, out) }

// addTo writes the sums of a and b, whose length is divisible by Group, to out.
func addTo(out, a, b []float32) { goAddTo(out, a, b) }
