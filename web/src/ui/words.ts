/** The words of a text with commas, semicolons or lines between them, without duplicates. */
export function splitWords(text: string): string[] {
  const words = text.split(/[,;\n]/).map((word) => word.trim().replace(/\s+/g, ' '))
  const seen = new Set<string>()
  return words.filter((word) => {
    const key = word.toLowerCase()
    if (!word || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
