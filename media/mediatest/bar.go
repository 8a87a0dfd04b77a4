package mediatest

// Layout of the bar that carries a frame number: blocks from left to right, white for 1. The bar
// starts and ends with white blocks, so that readBar finds it in frames with borders. Frames near
// each other have different checksums.
const (
	barNumberBits = 18
	barCheckBits  = 6
	barBlocks     = 3 + barNumberBits + barCheckBits + 3
)

// barBlocksOf returns the blocks of a frame number, one byte each: 235 for white, 16 for black.
func barBlocksOf(number int64) [barBlocks]byte {
	var blocks [barBlocks]byte
	for i, bit := range barBits(number) {
		blocks[i] = 16
		if bit {
			blocks[i] = 235
		}
	}

	return blocks
}

func barBits(number int64) [barBlocks]bool {
	bits := [barBlocks]bool{0: true, 2: true, barBlocks - 1: true, barBlocks - 2: true}
	for i := range barNumberBits {
		bits[3+i] = number>>i&1 == 1
	}
	check := barCheck(number)
	for i := range barCheckBits {
		bits[3+barNumberBits+i] = check>>i&1 == 1
	}
	return bits
}

func barCheck(number int64) int64 { return (number*37 + number/61 + 11) % 61 }

// readBar reads a frame number from one line of a frame. ok is false if the line has no valid bar.
func readBar(line []byte) (number int64, ok bool) {
	const white = 125
	from, to := -1, -1
	for x, v := range line {
		if v > white {
			if from < 0 {
				from = x
			}
			to = x + 1
		}
	}

	if to-from < 2*barBlocks {
		return 0, false
	}
	for i := range barNumberBits {
		if barAt(line, from, to, 3+i) {
			number |= 1 << i
		}
	}

	for i, bit := range barBits(number) {
		if barAt(line, from, to, i) != bit {
			return 0, false
		}
	}

	return number, true
}

func barAt(line []byte, from, to, block int) bool {
	return line[from+(2*block+1)*(to-from)/(2*barBlocks)] > 125
}
