#include "textflag.h"

// Every amd64 processor has these instructions. A product is rounded before it is added, as in Go.

// func dotColumnsSSE(rows, x *float32, stride, n int, out *[16]float32)
TEXT ·dotColumnsSSE(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), SI
	MOVQ x+8(FP), R8
	MOVQ stride+16(FP), AX
	MOVQ n+24(FP), CX
	MOVQ out+32(FP), DI
	LEAQ (R8)(AX*4), R9
	LEAQ (R9)(AX*4), R10
	LEAQ (R10)(AX*4), R11
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	XORQ DX, DX

columns:
	MOVUPS (SI), X4
	MOVSS (R8)(DX*4), X5
	MOVSS (R9)(DX*4), X6
	MOVSS (R10)(DX*4), X7
	MOVSS (R11)(DX*4), X8
	SHUFPS $0, X5, X5
	SHUFPS $0, X6, X6
	SHUFPS $0, X7, X7
	SHUFPS $0, X8, X8
	MULPS X4, X5
	MULPS X4, X6
	MULPS X4, X7
	MULPS X4, X8
	ADDPS X5, X0
	ADDPS X6, X1
	ADDPS X7, X2
	ADDPS X8, X3
	ADDQ $16, SI
	INCQ DX
	CMPQ DX, CX
	JLT columns

	MOVUPS X0, (DI)
	MOVUPS X1, 16(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X3, 48(DI)
	RET

// func dotRowsSSE(rows, x *float32, n int, out *[16]float32)
TEXT ·dotRowsSSE(SB), NOSPLIT, $0-32
	MOVQ rows+0(FP), R8
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ out+24(FP), DI
	MOVQ CX, AX
	SHLQ $4, AX
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	LEAQ (R10)(AX*1), R11
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	XORQ DX, DX

rows:
	MOVSS (SI), X4
	SHUFPS $0, X4, X4
	MOVUPS (R8)(DX*1), X5
	MOVUPS (R9)(DX*1), X6
	MOVUPS (R10)(DX*1), X7
	MOVUPS (R11)(DX*1), X8
	MULPS X4, X5
	MULPS X4, X6
	MULPS X4, X7
	MULPS X4, X8
	ADDPS X5, X0
	ADDPS X6, X1
	ADDPS X7, X2
	ADDPS X8, X3
	ADDQ $4, SI
	ADDQ $16, DX
	DECQ CX
	JNZ rows

	MOVUPS X0, (DI)
	MOVUPS X1, 16(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X3, 48(DI)
	RET
