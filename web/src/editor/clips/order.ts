/** A list with items moved together to the place of the item at an index, which is limited to the list. */
export function movedTo(list: readonly string[], items: readonly string[], index: number): string[] {
  const target = list[Math.min(Math.max(index, 0), list.length - 1)]
  const moved = list.filter((other) => items.includes(other))
  if (target === undefined || moved.length === 0 || moved.includes(target)) return [...list]
  const rest = list.filter((other) => !items.includes(other))
  const down = list.indexOf(target) > list.indexOf(moved[0]!)
  rest.splice(rest.indexOf(target) + (down ? 1 : 0), 0, ...moved)
  return rest
}
