import { Fragment, type ReactNode } from 'react'

/** Shows a message with elements in it: each `{name}` of the text stands for the part with that name. */
export function Rich({ text, parts }: { text: string; parts: Record<string, ReactNode> }) {
  return text
    .split(/(\{\w+\})/)
    .map((piece, i) => <Fragment key={i}>{/^\{\w+\}$/.test(piece) ? parts[piece.slice(1, -1)] : piece}</Fragment>)
}
