// Cuts as people see them: kinds, order, totals.

import type { EditType } from '../api/edits'
import { makePlan, merge, type Rate, type Span } from './timeline'

/** What the editor needs to know of an edit. */
export interface CutLike {
  uuid: string
  type: EditType
  start_ms: number
  end_ms: number
  active: boolean
}

export const KINDS: readonly EditType[] = ['silence', 'false_start', 'filler', 'manual']

/** Names of the kinds, for one and for many. */
export const KIND_NAMES: Record<EditType, readonly [one: string, many: string]> = {
  silence: ['Silence', 'Silences'],
  false_start: ['False start', 'False starts'],
  filler: ['Filler', 'Fillers'],
  manual: ['Your cut', 'Your cuts'],
}

export const spanOf = (e: { start_ms: number; end_ms: number }): Span => ({ startMs: e.start_ms, endMs: e.end_ms })

/** The spans that active cuts take away. */
export const activeSpans = (edits: readonly CutLike[]): Span[] => edits.filter((e) => e.active).map(spanOf)

/** Edits in the order of the timeline. */
export const inOrder = <T extends CutLike>(edits: readonly T[]): T[] =>
  [...edits].sort((a, b) => a.start_ms - b.start_ms || a.end_ms - b.end_ms || (a.uuid < b.uuid ? -1 : 1))

/** How long a recording was, will be, and what is saved; milliseconds. */
export interface Totals {
  originalMs: number
  resultMs: number
  savedMs: number
}

export function totals(rate: Rate, clipsMs: readonly number[], edits: readonly CutLike[]): Totals {
  const originalMs = clipsMs.reduce((a, b) => a + b, 0)
  const cuts = activeSpans(edits)
  const resultMs = cuts.length ? makePlan(rate, clipsMs, cuts).durationMs : originalMs
  return { originalMs, resultMs, savedMs: originalMs - resultMs }
}

/** Cut time of one kind, active cuts only, each moment once; milliseconds. */
export const savedBy = (edits: readonly CutLike[], kind: EditType) =>
  merge(activeSpans(edits.filter((e) => e.type === kind))).reduce((sum, s) => sum + s.endMs - s.startMs, 0)

/**
 * The neighbour of the selected edit in a list in order; without a selection the nearest one after (1) or before (-1) ms.
 * Stays at the ends; undefined for an empty list.
 */
export function neighbour<T extends CutLike>(ordered: readonly T[], selected: string | null, ms: number, direction: 1 | -1): T | undefined {
  const at = ordered.findIndex((e) => e.uuid === selected)
  if (at >= 0) return ordered[Math.min(Math.max(at + direction, 0), ordered.length - 1)]
  if (direction === 1) return ordered.find((e) => e.start_ms >= ms) ?? ordered.at(-1)
  return ordered.findLast((e) => e.start_ms <= ms) ?? ordered[0]
}

/** The edit under project time ms: the shortest where several overlap. */
export function editAt<T extends CutLike>(edits: readonly T[], ms: number): T | undefined {
  let best: T | undefined
  for (const e of edits) {
    if (ms < e.start_ms || ms >= e.end_ms) continue
    if (!best || e.end_ms - e.start_ms < best.end_ms - best.start_ms) best = e
  }
  return best
}
