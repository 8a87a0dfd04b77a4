/** The links in a text that carry something to hand on, such as a token, each once. */
export function linksIn(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"]+/g) ?? []
  return [...new Set(found.map((link) => link.replace(/[).,;]+$/, '')))].filter((link) => link.includes('?'))
}
