// Package estimate predicts the size of an export and the time to render it, and learns from
// finished renders. It does no I/O.
package estimate
