// Keyboard navigation and selection in a grid that is filled row by row.

/** Returns the index that a key moves the focus to, or null for keys that do not move it. */
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
  // Down from the last full row moves to the last item of the incomplete row.
  if (key === 'ArrowDown' && Math.floor(index / columns) < Math.floor((total - 1) / columns)) return total - 1
  return index
}

/** Returns the selection with one item toggled. */
export function toggled(selected: ReadonlySet<string>, uuid: string): Set<string> {
  const next = new Set(selected)
  if (!next.delete(uuid)) next.add(uuid)
  return next
}

/** Returns all indexes between two indexes, inclusive, in ascending order. */
export function between(from: number, to: number): number[] {
  const first = Math.min(from, to)
  return Array.from({ length: Math.abs(from - to) + 1 }, (_, i) => first + i)
}

/** Returns how many columns of at least `minimum` pixels fit, and the width of each. */
export function columnsIn(width: number, minimum: number, gap: number): { columns: number; width: number } {
  const columns = Math.max(Math.floor((width + gap) / (minimum + gap)), 1)
  return { columns, width: Math.max((width - gap * (columns - 1)) / columns, 0) }
}
