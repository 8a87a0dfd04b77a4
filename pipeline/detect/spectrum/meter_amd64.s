#include "textflag.h"

// Products are rounded before they are added, as in Go.

// func weighAVX(weights *float32, n int, power, sums *[fourier.Lanes]float32)
TEXT ·weighAVX(SB), NOSPLIT, $0-32
	MOVQ weights+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ power+16(FP), DI
	MOVQ sums+24(FP), DX
	VXORPS Y0, Y0, Y0

weight:
	VBROADCASTSS (SI), Y1
	VMULPS (DI), Y1, Y1
	VADDPS Y1, Y0, Y0
	ADDQ $4, SI
	ADDQ $32, DI
	DECQ CX
	JNZ weight

	VMOVUPS Y0, (DX)
	VZEROUPPER
	RET

DATA half<>+0(SB)/4, $0.5
GLOBL half<>+0(SB), RODATA, $4

// func joinAVX(re, im, otherRe, otherIm *[fourier.Lanes]float32, cos, sin float32, out *[fourier.Lanes]float32)
TEXT ·joinAVX(SB), NOSPLIT, $0-48
	MOVQ re+0(FP), AX
	MOVQ im+8(FP), BX
	MOVQ otherRe+16(FP), CX
	MOVQ otherIm+24(FP), DX
	VBROADCASTSS cos+32(FP), Y14
	VBROADCASTSS sin+36(FP), Y15
	MOVQ out+40(FP), DI
	VBROADCASTSS half<>+0(SB), Y13
	VMOVUPS (AX), Y0
	VMOVUPS (BX), Y1
	VMOVUPS (CX), Y2
	VMOVUPS (DX), Y3
	VADDPS Y2, Y0, Y4
	VMULPS Y13, Y4, Y4 // real part of the even samples
	VSUBPS Y3, Y1, Y5
	VMULPS Y13, Y5, Y5 // imaginary part
	VADDPS Y3, Y1, Y6
	VMULPS Y13, Y6, Y6 // real part of the odd samples
	VSUBPS Y0, Y2, Y7
	VMULPS Y13, Y7, Y7 // imaginary part
	VMULPS Y14, Y6, Y8
	VADDPS Y8, Y4, Y4
	VMULPS Y15, Y7, Y8
	VADDPS Y8, Y4, Y4
	VMULPS Y14, Y7, Y8
	VADDPS Y8, Y5, Y5
	VMULPS Y15, Y6, Y8
	VSUBPS Y8, Y5, Y5
	VMULPS Y4, Y4, Y4
	VMULPS Y5, Y5, Y5
	VADDPS Y5, Y4, Y4
	VMOVUPS Y4, (DI)
	VZEROUPPER
	RET
