package voicenet

import "golang.org/x/sys/cpu"

// nearSigmoids is sigmoids for numbers that are not farther from 0 than farthest.
func nearSigmoids(x []float64) {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sigmoidsAVX2(&x[0], len(x))
	} else {
		goSigmoids(x)
	}
}

// sigmoidsAVX2 computes with the instructions of math.Exp on processors with FMA, four at once.
//
//go:noescape
func sigmoidsAVX2(x *float64, n int)
