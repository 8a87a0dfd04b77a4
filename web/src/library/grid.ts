// Where the keys lead in a grid of items that fills row after row, and what a click selects.

/** The item that a key leads to from another one; null for keys that lead nowhere. */
export function step(key: string, index: number, columns: number, rowsInView: number, total: number): number | null {
  const by: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * Math.max(rowsInView, 1),
    PageDown: columns * Math.max(rowsInView, 1),
    Home: -total,
    End: total,
  }
  const distance = by[key]
  if (distance === undefined || total === 0) return null
  const target = index + distance
  if (target >= 0 && target < total) return target
  if (key === 'Home' || key === 'PageUp') return key === 'Home' ? 0 : index % columns
  if (key === 'End' || key === 'PageDown') return total - 1
  // Down from the last full row goes to the end of the one that is not.
  if (key === 'ArrowDown' && Math.floor(index / columns) < Math.floor((total - 1) / columns)) return total - 1
  return index
}

/** The same items with one of them taken in, or out if it was in. */
export function toggled(selected: ReadonlySet<string>, uuid: string): Set<string> {
  const next = new Set(selected)
  if (!next.delete(uuid)) next.add(uuid)
  return next
}

/** The indexes from one to another, in whichever order they are given. */
export function between(from: number, to: number): number[] {
  const first = Math.min(from, to)
  return Array.from({ length: Math.abs(from - to) + 1 }, (_, i) => first + i)
}

/** How many columns of at least so many pixels fit, and how wide each is then. */
export function columnsIn(width: number, minimum: number, gap: number): { columns: number; width: number } {
  const columns = Math.max(Math.floor((width + gap) / (minimum + gap)), 1)
  return { columns, width: Math.max((width - gap * (columns - 1)) / columns, 0) }
}
