// The kinds of edits that cut, from the table that the server reads too.

import type { CSSProperties } from 'react'
import table from '../../../../media/editkinds.json'
import type { DetectedType, EditType } from '../../api/edits'

/** How the timeline and the lists fill cuts of a kind, so that kinds differ without color. */
export type KindPattern = 'stripes' | 'lattice' | 'dots' | 'lines' | 'none'

export interface EditKind {
  name: EditType
  label: string
  labelPlural: string
  /** Whether the transcript marks the words of these cuts. */
  marksWords: boolean
  pattern: KindPattern
}

/** All kinds of cuts in display order. */
export const CUT_KINDS: readonly EditKind[] = table
  .filter((kind) => kind.cuts)
  .map((kind) => ({
    name: kind.name as EditType,
    label: kind.label,
    labelPlural: kind.label_plural,
    marksWords: kind.marks_words,
    pattern: kind.pattern as KindPattern,
  }))

/** The kinds of cuts that analyses propose. */
export const DETECTED_KINDS = CUT_KINDS.filter(({ name }) =>
  table.some((kind) => kind.name === name && kind.detected),
) as readonly (EditKind & { name: DetectedType })[]

const BY_NAME = new Map<string, EditKind>(CUT_KINDS.map((kind) => [kind.name, kind]))

/** The kind of a cut; undefined for edits that cut nothing. */
export const lookupKind = (type: string): EditKind | undefined => BY_NAME.get(type)

/** The kind of a cut. */
export function kindOf(type: EditType): EditKind {
  const kind = BY_NAME.get(type)
  if (!kind) throw new Error(`${type} is not a kind of cut`)
  return kind
}

/** The custom property that holds the color of a kind. */
export const colorVariable = (type: EditType) => `--${type.replaceAll('_', '-')}`

/** The kinds of some edits that cut, in display order. */
export const kindsOf = (edits: readonly { type: string }[]): EditType[] =>
  CUT_KINDS.map(({ name }) => name).filter((kind) => edits.some((e) => e.type === kind))

/** Inline style that sets --kind, the color of swatches and marks. */
export const kindColor = (type: EditType) => ({ '--kind': `var(${colorVariable(type)})` }) as CSSProperties
