#include "go_asm.h"
#include "textflag.h"

// Products are rounded before they are added, as in Go.

// func forwardAVX(re, im *Signals, cos, sin *[Size / 2]float32)
TEXT ·forwardAVX(SB), NOSPLIT, $0-32
	MOVQ re+0(FP), SI
	MOVQ im+8(FP), DI
	MOVQ cos+16(FP), R8
	MOVQ sin+24(FP), R9
	MOVQ $32, R10                 // bytes between the two numbers of a butterfly
	MOVQ $(const_Size*2), R11     // bytes between the angles of this stage

stage:
	XORQ R12, R12 // the first number
	XORQ R13, R13 // the angle

angle:
	VBROADCASTSS (R8)(R13*1), Y14
	VBROADCASTSS (R9)(R13*1), Y15
	MOVQ R12, AX
	LEAQ (R12)(R10*1), BX

butterfly:
	VMOVUPS (SI)(BX*1), Y0
	VMOVUPS (DI)(BX*1), Y1
	VMULPS Y14, Y0, Y2
	VMULPS Y15, Y1, Y3
	VMULPS Y14, Y1, Y4
	VMULPS Y15, Y0, Y5
	VADDPS Y3, Y2, Y2
	VSUBPS Y5, Y4, Y4
	VMOVUPS (SI)(AX*1), Y6
	VMOVUPS (DI)(AX*1), Y7
	VSUBPS Y2, Y6, Y8
	VSUBPS Y4, Y7, Y9
	VADDPS Y2, Y6, Y6
	VADDPS Y4, Y7, Y7
	VMOVUPS Y8, (SI)(BX*1)
	VMOVUPS Y9, (DI)(BX*1)
	VMOVUPS Y6, (SI)(AX*1)
	VMOVUPS Y7, (DI)(AX*1)
	LEAQ (AX)(R10*2), AX
	LEAQ (BX)(R10*2), BX
	CMPQ AX, $(const_Size*32)
	JLT butterfly

	ADDQ $32, R12
	ADDQ R11, R13
	CMPQ R12, R10
	JLT angle

	SHLQ $1, R10
	SHRQ $1, R11
	CMPQ R10, $(const_Size*32)
	JLT stage
	VZEROUPPER
	RET
