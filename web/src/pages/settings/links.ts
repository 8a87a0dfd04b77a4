/** Returns the distinct links in a text that have a query string, such as a token. */
export function linksIn(text: string): string[] {
  const found = text.match(/https?:\/\/[^\s<>"]+/g) ?? []
  return [...new Set(found.map((link) => link.replace(/[).,;]+$/, '')))].filter((link) => link.includes('?'))
}
