//go:build !amd64

package voicenet

func nearSigmoids(x []float64) { goSigmoids(x) }
