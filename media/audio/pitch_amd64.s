#include "textflag.h"

// Four products of a lag are added to four sums. A product is rounded before it is added, as in Go.
#define LAG(offset, sums) \
	MOVUPS offset(DI), X9 \
	MULPS X8, X9 \
	ADDPS X9, sums

// func lagSumsSSE(a, b *float32, n int, out *[8][4]float32)
TEXT ·lagSumsSSE(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ out+24(FP), DX
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	XORPS X4, X4
	XORPS X5, X5
	XORPS X6, X6
	XORPS X7, X7

samples:
	MOVUPS (SI), X8
	LAG(0, X0)
	LAG(4, X1)
	LAG(8, X2)
	LAG(12, X3)
	LAG(16, X4)
	LAG(20, X5)
	LAG(24, X6)
	LAG(28, X7)
	ADDQ $16, SI
	ADDQ $16, DI
	SUBQ $4, CX
	JG samples

	MOVUPS X0, (DX)
	MOVUPS X1, 16(DX)
	MOVUPS X2, 32(DX)
	MOVUPS X3, 48(DX)
	MOVUPS X4, 64(DX)
	MOVUPS X5, 80(DX)
	MOVUPS X6, 96(DX)
	MOVUPS X7, 112(DX)
	RET
