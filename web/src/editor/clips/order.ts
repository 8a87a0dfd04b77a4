/** A list with an item moved to an index, which is limited to the list. */
export function movedTo(list: readonly string[], item: string, index: number): string[] {
  const rest = list.filter((other) => other !== item)
  rest.splice(Math.min(Math.max(index, 0), rest.length), 0, item)
  return rest
}
