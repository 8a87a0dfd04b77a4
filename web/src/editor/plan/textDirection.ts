// The direction of text, by the first strong letter (UAX #9, rules P2 and P3), as libass draws it.

const RIGHT_TO_LEFT =
  /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}\u200f]/u

const STRONG = /[\p{L}\u200e\u200f]/u

export type Direction = 'ltr' | 'rtl'

// firstStrong returns the direction of the first strong letter, or null without one.
function firstStrong(text: string): Direction | null {
  const letter = STRONG.exec(text)?.[0]
  if (letter === undefined) return null
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'
}

/** The direction of the paragraph of a text that contains an offset. */
export function directionAt(text: string, offset: number): Direction {
  const from = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
  const to = text.indexOf('\n', from)
  return firstStrong(to < 0 ? text.slice(from) : text.slice(from, to)) ?? 'ltr'
}

/** Whether every letter of a text runs from left to right. */
export const isLeftToRight = (text: string): boolean => !RIGHT_TO_LEFT.test(text)

/**
 * The place of characters [from, to) in a row of a direction, in pixels from its left edge. Words keep together; those of
 * the other direction run as groups.
 */
export function placeInRow(
  row: string,
  [from, to]: readonly [from: number, to: number],
  direction: Direction,
  measure: (text: string) => number,
): { left: number; width: number } {
  const parts = [...row.matchAll(/ +|[^ ]+/g)].map((m) => ({
    from: m.index,
    text: m[0],
    direction: firstStrong(m[0]),
  }))

  // A part without a letter has the direction of its neighbors if they agree, else that of the row.
  const resolved = parts.map((p, i) => {
    if (p.direction) return p.direction
    const before = parts.slice(0, i).findLast((q) => q.direction)?.direction ?? direction
    const after = parts.slice(i + 1).find((q) => q.direction)?.direction ?? direction
    return before === after ? before : direction
  })

  const groups: number[][] = []
  parts.forEach((_, i) => {
    if (i > 0 && resolved[i] === resolved[i - 1]) groups.at(-1)!.push(i)
    else groups.push([i])
  })

  if (direction === 'rtl') groups.reverse()
  const order = groups.flatMap((g) => (resolved[g[0]!] === 'rtl' ? g.toReversed() : g))
  let x = 0
  let left = Infinity
  let right = 0
  for (const i of order) {
    const p = parts[i]!
    const width = measure(p.text)
    const [first, end] = [Math.max(from, p.from), Math.min(to, p.from + p.text.length)]
    if (first < end) {
      const before = measure(p.text.slice(0, first - p.from))
      const within = measure(p.text.slice(first - p.from, end - p.from))
      const start = resolved[i] === 'rtl' ? x + width - before - within : x + before
      left = Math.min(left, start)
      right = Math.max(right, start + within)
    }

    x += width
  }

  return left < right ? { left, width: right - left } : { left: 0, width: 0 }
}
