// Stretches: footage that active cuts remove without a gap. Package media in Go derives the same ones;
// media/testdata/stretch_vectors.json tests both. The list of cuts has one row for each.

import type { Edit } from '../../api/edits'
import type { Span } from '../plan/renderPlan'
import { mutes, sortEdits, spanOf } from './cuts'
import { wordsWithin, type TimedWord } from './words'

/**
 * For each cut, the index of the first cut of its stretch. Cuts of a stretch overlap or touch; two that only touch where a
 * clip starts are apart. Of cuts with one start, the first one ends first, then has the lower index.
 */
export function stretchFirsts(cuts: readonly Span[], starts: readonly number[]): number[] {
  const order = cuts.map((_, i) => i)
  order.sort((a, b) => cuts[a]!.startMs - cuts[b]!.startMs || cuts[a]!.endMs - cuts[b]!.endMs || a - b)
  const borders = new Set(starts)
  const firsts: number[] = []
  let [first, end] = [-1, 0]
  for (const i of order) {
    const { startMs, endMs } = cuts[i]!
    if (first < 0 || startMs > end || (startMs === end && borders.has(startMs))) [first, end] = [i, endMs]
    firsts[i] = first
    end = Math.max(end, endMs)
  }

  return firsts
}

/** The starts of clips on the timeline. */
export const startsOf = (layout: readonly Span[]): number[] => layout.map((clip) => clip.startMs)

/** What a row of the list of cuts stands for. Its fields are like those of a cut. */
export interface ReviewRow extends Pick<
  Edit,
  'uuid' | 'type' | 'start_ms' | 'end_ms' | 'active' | 'action' | 'reason'
> {
  /** The lowest confidence of the cuts. */
  confidence: number | null
  /** The cuts that the row switches, by start; the row has the UUID of the first. */
  cuts: readonly Edit[]
  /** Other edits inside the stretch, without effect while it is active. */
  inside: readonly Edit[]
  /** Whether the row is a part of the row above it. */
  part: boolean
}

/** The row of one edit. */
function rowOfOne(edit: Edit, part = false, inside: readonly Edit[] = []): ReviewRow {
  const { uuid, type, start_ms, end_ms, active, action, reason, confidence } = edit
  return { uuid, type, start_ms, end_ms, active, action, reason, confidence, cuts: [edit], inside, part }
}

const lengthOf = (e: { start_ms: number; end_ms: number }) => e.end_ms - e.start_ms

// rowOfMany is the row of the cuts of a stretch, by start. The longest cut decides its kind.
function rowOfMany(cuts: readonly Edit[], inside: readonly Edit[]): ReviewRow {
  const [first] = cuts
  if (cuts.length === 1) return rowOfOne(first!, false, inside)
  const sure = cuts.flatMap((e) => (e.confidence === null ? [] : [e.confidence]))
  return {
    uuid: first!.uuid,
    type: cuts.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a)).type,
    start_ms: first!.start_ms,
    end_ms: Math.max(...cuts.map((e) => e.end_ms)),
    active: first!.active,
    action: cuts.every(mutes) ? 'mute' : 'cut',
    reason: [...new Set(cuts.map((e) => e.reason).filter(Boolean))].join(' · '),
    confidence: sure.length > 0 ? Math.min(...sure) : null,
    cuts,
    inside,
    part: false,
  }
}

// stretchesOf groups sorted edits that touch or overlap.
function stretchesOf(edits: readonly Edit[], starts: readonly number[]): Edit[][] {
  const groups = new Map<number, Edit[]>()
  stretchFirsts(edits.map(spanOf), starts).forEach((first, i) => {
    const group = groups.get(first)
    if (group) group.push(edits[i]!)
    else groups.set(first, [edits[i]!])
  })

  return [...groups.values()]
}

// rowKey names the edits that can share a row, if they touch: active cuts, active mutes, and edits that one change switched
// off. An untouched proposal shares its row with none.
function rowKey(e: Edit): string {
  if (e.active) return e.action
  return e.updated_at === e.created_at ? e.uuid : `off ${e.updated_at}`
}

/**
 * The rows of the list of cuts, by time: a row for each stretch, with all edits inside it. Cuts that were rejected together
 * keep their row; other inactive proposals outside of stretches have rows of their own. edits are sorted.
 */
export function reviewRows(edits: readonly Edit[], starts: readonly number[]): ReviewRow[] {
  const stretches = stretchesOf(
    edits.filter((e) => e.active && !mutes(e)),
    starts,
  ).map((cuts) => ({ cuts, inside: [] as Edit[], endMs: Math.max(...cuts.map((e) => e.end_ms)) }))

  const others = new Map<string, Edit[]>()
  let at = 0 // the stretch that starts last before an edit
  for (const e of edits) {
    if (e.active && !mutes(e)) continue
    while (at + 1 < stretches.length && stretches[at + 1]!.cuts[0]!.start_ms <= e.start_ms) at++
    const around = stretches[at]
    if (around && around.cuts[0]!.start_ms <= e.start_ms && e.end_ms <= around.endMs) around.inside.push(e)
    else {
      const key = rowKey(e)
      const list = others.get(key)
      if (list) list.push(e)
      else others.set(key, [e])
    }
  }

  return sortEdits([
    ...stretches.map(({ cuts, inside }) => rowOfMany(cuts, inside)),
    ...[...others.values()].flatMap((list) => stretchesOf(list, starts).map((cuts) => rowOfMany(cuts, []))),
  ])
}

/** The rows by the UUIDs of their edits. */
export type RowsByEdit = ReadonlyMap<string, ReviewRow>

export function rowsByEdit(rows: readonly ReviewRow[]): RowsByEdit {
  const rowOf = new Map<string, ReviewRow>()
  for (const row of rows) {
    for (const e of row.cuts) rowOf.set(e.uuid, row)
    for (const e of row.inside) rowOf.set(e.uuid, row)
  }

  return rowOf
}

/** Whether a row has parts that it can show. */
export const hasParts = ({ cuts, inside }: ReviewRow) => cuts.length + inside.length > 1

/** The parts of a row, by time. */
export const partsOf = ({ cuts, inside }: ReviewRow): ReviewRow[] =>
  sortEdits([...cuts, ...inside]).map((e) => rowOfOne(e, true))

/** The rows of a list with the parts of the opened ones below them. */
export const withParts = (rows: readonly ReviewRow[], opened: readonly string[]): readonly ReviewRow[] =>
  opened.length === 0
    ? rows
    : rows.flatMap((row) => (opened.includes(row.uuid) && hasParts(row) ? [row, ...partsOf(row)] : [row]))

/** A selected edit, which stands for its stretch or for itself. */
export interface SelectedCut {
  /** The UUID of an edit, of a cut or not; null without a selection. */
  selected: string | null
  /** Whether the edit stands for itself. */
  part: boolean
}

/** The index of the row of a selected edit: its own if it is a part and shown, otherwise its stretch's; or -1. */
export function indexOfCut(rows: readonly ReviewRow[], rowOf: RowsByEdit, { selected, part }: SelectedCut): number {
  const row = rowOf.get(selected ?? '')
  const own = part ? rows.findIndex((r) => r.part && r.uuid === selected) : -1
  return own >= 0 ? own : rows.findIndex((r) => !r.part && r.uuid === row?.uuid)
}

/** The row that a selected edit stands for. */
export function selectedRow(
  { edits, rowOf }: { edits: readonly Edit[]; rowOf: RowsByEdit },
  { selected: uuid, part }: SelectedCut,
): ReviewRow | undefined {
  const row = uuid === null ? undefined : rowOf.get(uuid)
  const edit = part && row && hasParts(row) ? edits.find((e) => e.uuid === uuid) : undefined
  return edit ? rowOfOne(edit, true) : row
}

/** Longest rest of a stretch that is restored with the footage next to it, in milliseconds. */
const SLIVER_MS = 250

/**
 * The footage to restore, and the rest of a stretch beside it that has no words: a short one, or one inside of reach, the
 * footage that cutting the same selection would remove.
 */
export function withSlivers(
  span: Span,
  reach: Span,
  edits: readonly Edit[],
  words: readonly TimedWord[],
  starts: readonly number[],
): Span {
  const silent = (rest: Span) => {
    const { from, to } = wordsWithin(words, rest)
    return from === to
  }

  let { startMs, endMs } = span
  for (const cuts of stretchesOf(edits, starts)) {
    const [from, to] = [cuts[0]!.start_ms, Math.max(...cuts.map((e) => e.end_ms))]
    if (from >= span.endMs || to <= span.startMs) continue
    const near = (ms: number, inside: boolean) => inside || ms < SLIVER_MS
    if (near(span.startMs - from, from >= reach.startMs) && silent({ startMs: from, endMs: span.startMs }))
      startMs = Math.min(startMs, from)
    if (near(to - span.endMs, to <= reach.endMs) && silent({ startMs: span.endMs, endMs: to }))
      endMs = Math.max(endMs, to)
  }

  return { startMs, endMs }
}
