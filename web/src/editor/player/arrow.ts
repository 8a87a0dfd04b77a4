import type { KeyboardEvent } from 'react'

/** Distance that an arrow key moves something, as a fraction of the frame; the second one with Shift. */
const STEP = { plain: 0.01, shift: 0.05 }

/** Returns the direction of an arrow key in fractions of the frame; null for another key. */
export function arrow(event: KeyboardEvent): readonly [x: number, y: number] | null {
  const by = event.shiftKey ? STEP.shift : STEP.plain
  const moves: Record<string, readonly [number, number]> = {
    ArrowLeft: [-by, 0],
    ArrowRight: [by, 0],
    ArrowUp: [0, -by],
    ArrowDown: [0, by],
  }

  return moves[event.key] ?? null
}

export const clampFraction = (n: number) => Math.min(Math.max(n, 0), 1)
