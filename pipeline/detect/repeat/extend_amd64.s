#include "go_asm.h"
#include "textflag.h"

// The numbers 0 to 7, and eight times 8.
DATA steps<>+0(SB)/4, $0
DATA steps<>+4(SB)/4, $1
DATA steps<>+8(SB)/4, $2
DATA steps<>+12(SB)/4, $3
DATA steps<>+16(SB)/4, $4
DATA steps<>+20(SB)/4, $5
DATA steps<>+24(SB)/4, $6
DATA steps<>+28(SB)/4, $7
DATA steps<>+32(SB)/4, $8
DATA steps<>+36(SB)/4, $8
DATA steps<>+40(SB)/4, $8
DATA steps<>+44(SB)/4, $8
DATA steps<>+48(SB)/4, $8
DATA steps<>+52(SB)/4, $8
DATA steps<>+56(SB)/4, $8
DATA steps<>+60(SB)/4, $8
GLOBL steps<>+0(SB), RODATA, $64

// Feature f of eight vectors adds the square of its difference to a sum. Four sums keep the order
// of additions of goDistances.
#define ADD(f, square, sum) \
	VBROADCASTSS (4*f)(SI), square \
	VSUBPS (32*f)(DI), square, square \
	VMULPS square, square, square \
	VADDPS square, sum, sum

#define ADD4(f) \
	ADD(f, Y8, Y0) \
	ADD((f+1), Y9, Y1) \
	ADD((f+2), Y10, Y2) \
	ADD((f+3), Y11, Y3)

// func distancesAVX2(x *vector, tiles *tile, n int, unit float32, out *float32)
TEXT ·distancesAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ tiles+8(FP), DI
	MOVQ n+16(FP), CX
	VBROADCASTSS unit+24(FP), Y15
	MOVQ out+32(FP), DX

tiles:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	ADD4(0)
	ADD4(4)
	ADD4(8)
	ADD4(12)
	ADD4(16)
	ADD4(20)
	VADDPS Y1, Y0, Y0
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y0, Y0
	VSQRTPS Y0, Y0
	VMULPS Y15, Y0, Y0
	VMOVUPS Y0, (DX)
	ADDQ $768, DI
	ADDQ $32, DX
	DECQ CX
	JNZ tiles
	VZEROUPPER
	RET

// The columns of a row at the lags from AX on. Registers of extend: Y3 score, Y4 peak, Y5 from, Y6
// lag of the path that ends here; Y7 gain; Y12 limit, Y13 lags, Y14 vector, Y15 zero.
#define SCORE(r, lag) (row_score+4*lag)(r)(AX*4)
#define PEAK(r, lag) (row_peak+4*lag)(r)(AX*4)
#define FROM(r, lag) (row_from+4*lag)(r)(AX*4)
#define LAG(r, lag) (row_fromLag+4*lag)(r)(AX*4)

#define STORE(r) \
	VMOVUPS Y3, SCORE(r, 0) \
	VMOVUPS Y4, PEAK(r, 0) \
	VMOVUPS Y5, FROM(r, 0) \
	VMOVUPS Y6, LAG(r, 0)

// GAINED is gained of Go.
#define GAINED(score, peak) \
	VADDPS Y7, score, score \
	VMAXPS score, peak, peak \
	VBROADCASTSS extension_drop(BX), Y0 \
	VSUBPS Y0, peak, Y0 \
	VCMPPS $1, Y0, score, Y0 \
	VCMPPS $2, Y15, score, Y1 \
	VORPS Y1, Y0, Y0 \
	VANDNPS score, Y0, score

// func extendAVX2(e *extension, distances *float32, ended *uint8, n int)
TEXT ·extendAVX2(SB), NOSPLIT, $0-32
	MOVQ e+0(FP), BX
	MOVQ distances+8(FP), SI
	MOVQ ended+16(FP), DI
	MOVQ n+24(FP), CX
	MOVQ extension_best(BX), R8
	MOVQ extension_moved(BX), R9
	MOVQ extension_nextBest(BX), R10
	MOVQ extension_nextMoved(BX), R11
	VBROADCASTSS extension_limit(BX), Y12
	VPBROADCASTD extension_vector(BX), Y14
	VXORPS Y15, Y15, Y15
	MOVQ $const_leastLag, AX
	MOVQ AX, X13
	VPBROADCASTD X13, Y13
	VPADDD steps<>(SB), Y13, Y13

lags:
	// The path advances from the better of two lags, or starts here.
	VMOVUPS SCORE(R8, 0), Y0
	VMOVUPS SCORE(R8, -1), Y1
	VMOVUPS PEAK(R8, 0), Y4
	VMOVUPS FROM(R8, 0), Y5
	VMOVUPS LAG(R8, 0), Y6
	VCMPPS $14, Y0, Y1, Y2
	VBLENDVPS Y2, Y1, Y0, Y3
	VBLENDVPS Y2, PEAK(R8, -1), Y4, Y4
	VBLENDVPS Y2, FROM(R8, -1), Y5, Y5
	VBLENDVPS Y2, LAG(R8, -1), Y6, Y6
	VCMPPS $2, Y15, Y3, Y2
	VANDNPS Y3, Y2, Y3
	VANDNPS Y4, Y2, Y4
	VBLENDVPS Y2, Y14, Y5, Y5
	VBLENDVPS Y2, Y13, Y6, Y6
	VSUBPS (SI), Y12, Y7
	GAINED(Y3, Y4)
	STORE(R11)

	// Or it stays in the later speech.
	VMOVUPS SCORE(R9, 1), Y8
	VMOVUPS PEAK(R9, 1), Y9
	VCMPPS $14, Y15, Y8, Y2
	GAINED(Y8, Y9)
	VCMPPS $14, Y3, Y8, Y0
	VANDPS Y0, Y2, Y2
	VBLENDVPS Y2, Y8, Y3, Y3
	VBLENDVPS Y2, Y9, Y4, Y4
	VBLENDVPS Y2, FROM(R9, 1), Y5, Y5
	VBLENDVPS Y2, LAG(R9, 1), Y6, Y6
	STORE(R10)

	VBROADCASTSS extension_least(BX), Y0
	VCMPPS $13, Y0, Y3, Y0
	VCMPPS $0, Y4, Y3, Y1
	VANDPS Y1, Y0, Y0
	VMOVMSKPS Y0, DX
	MOVB DX, (DI)

	VPADDD steps<>+32(SB), Y13, Y13
	ADDQ $8, AX
	ADDQ $32, SI
	INCQ DI
	DECQ CX
	JNZ lags
	VZEROUPPER
	RET

// func warpAVX2(best, moved, nextBest, nextMoved, distances *float32, blocks int)
TEXT ·warpAVX2(SB), NOSPLIT, $0-48
	MOVQ best+0(FP), R8
	MOVQ moved+8(FP), R9
	MOVQ nextBest+16(FP), R10
	MOVQ nextMoved+24(FP), R11
	MOVQ distances+32(FP), SI
	MOVQ blocks+40(FP), CX
	XORQ AX, AX

columns:
	VMOVUPS 4(R8)(AX*1), Y0
	VMINPS (R8)(AX*1), Y0, Y0
	VMOVUPS (SI)(AX*1), Y1
	VMINPS 8(R9)(AX*1), Y0, Y2
	VADDPS Y1, Y0, Y0
	VADDPS Y1, Y2, Y2
	VMOVUPS Y0, 8(R11)(AX*1)
	VMOVUPS Y2, 8(R10)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ columns
	VZEROUPPER
	RET
