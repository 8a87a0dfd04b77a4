// Cuts and mutes: order, totals, review, restoring and splitting.

import type { AnyEdit, CutAction, Edit, EditType } from '../../api/edits'
import { randomUUID } from '../../api/randomUUID'
import { makePlan, mergeSpans, type Rate, type Span } from '../plan/renderPlan'
import type { EditAction } from './editAction'
import { lookupKind } from './kinds'

/** The fields of an edit that cuts are computed from. */
export interface CutLike {
  uuid: string
  type: EditType
  start_ms: number
  end_ms: number
  active: boolean
  /** Undefined cuts. */
  action?: CutAction
}

/** Shortest cut or placement after a drag or a split, in milliseconds. */
export const MIN_CUT_MS = 20

/** Whether an edit is of a kind that cuts or mutes footage. */
export const isCut = <E extends { type: AnyEdit['type'] }>(edit: E): edit is E & { type: EditType } =>
  lookupKind(edit.type) !== undefined

/** A UUID for an edit that the server has not stored yet. */
export const localID = () => `here-${randomUUID()}`

/** Whether the start or end of an edit can be at ms: the edit keeps the shortest duration. */
export const edgeFits = (e: { start_ms: number; end_ms: number }, edge: 'start' | 'end', ms: number) =>
  edge === 'start' ? ms <= e.end_ms - MIN_CUT_MS : ms >= e.start_ms + MIN_CUT_MS

/** Whether an edit mutes its span and keeps the video. */
export const mutes = ({ action }: { action?: CutAction }) => action === 'mute'

/** A manual edit that the server has not stored yet. */
export function newCut(
  startMs: number,
  endMs: number,
  reason: string,
  { active = true, action = 'cut' }: { active?: boolean; action?: CutAction } = {},
): Edit {
  const now = new Date().toISOString()
  return {
    uuid: localID(),
    run_uuid: null,
    type: 'manual',
    start_ms: startMs,
    end_ms: endMs,
    active,
    action,
    reason,
    confidence: null,
    take_group: null,
    take_number: null,
    created_at: now,
    updated_at: now,
  }
}

/** What a part of a cut takes from it. */
type Splittable = CutLike & { reason: string; confidence?: number | null }

/** A part of a cut that the server has not stored yet: of the kind of the cut, for its reason. */
const partOf = (e: Splittable, startMs: number): Edit => ({
  ...newCut(startMs, e.end_ms, e.reason, { active: e.active, action: e.action ?? 'cut' }),
  type: e.type,
  confidence: e.confidence ?? null,
  split_from: e.uuid,
})

export const spanOf = (e: { start_ms: number; end_ms: number }): Span => ({ startMs: e.start_ms, endMs: e.end_ms })

/** The spans of active cuts, without muted ones. */
export const activeSpans = (edits: readonly CutLike[]): Span[] => edits.filter((e) => e.active && !mutes(e)).map(spanOf)

/** The spans whose audio is muted, merged. A cut removes the mutes inside it. */
export const mutedSpans = (edits: readonly CutLike[]): Span[] =>
  mergeSpans(edits.filter((e) => e.active && mutes(e)).map(spanOf))

/** Edits in timeline order. */
export const sortEdits = <T extends CutLike>(edits: readonly T[]): T[] =>
  [...edits].sort((a, b) => a.start_ms - b.start_ms || a.end_ms - b.end_ms || (a.uuid < b.uuid ? -1 : 1))

/** Durations of the recording, of the result, and of the removed footage; milliseconds. */
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

/** Duration that active cuts of a kind remove, in milliseconds. Overlaps count once. */
export const cutTimeOf = (edits: readonly CutLike[], kind: EditType) =>
  mergeSpans(activeSpans(edits.filter((e) => e.type === kind))).reduce((sum, s) => sum + s.endMs - s.startMs, 0)

/**
 * The item after (1) or before (-1) the one at an index of a sorted list; with -1 for no index, the nearest item after or
 * before ms. Stops at the ends of the list; undefined for an empty list.
 */
export function adjacentCut<T extends { start_ms: number }>(
  ordered: readonly T[],
  at: number,
  ms: number,
  direction: 1 | -1,
): T | undefined {
  if (at >= 0) return ordered[Math.min(Math.max(at + direction, 0), ordered.length - 1)]
  if (direction === 1) return ordered.find((e) => e.start_ms >= ms) ?? ordered.at(-1)
  return ordered.findLast((e) => e.start_ms <= ms) ?? ordered[0]
}

/** Order, hidden kinds and confidence limit of the list of cuts. */
export interface Review {
  order: 'time' | 'confidence'
  hidden: readonly EditType[]
  /** Only cuts with a confidence below this, from 0 to 1; null for all cuts. */
  below: number | null
  /** Only cuts shorter than this, in milliseconds; null for all cuts. */
  shorterMs: number | null
}

/** Confidence as people see it, in whole percent. The limits of the review compare these, so that 90 % is not below 90 %. */
const shownPercent = (confidence: number) => Math.round(confidence * 100)

/** Whether a cut is doubtful: the analysis proposed it with a confidence below a limit from 0 to 1. */
export const isDoubtful = ({ confidence }: { confidence: number | null }, below: number) =>
  confidence !== null && shownPercent(confidence) < shownPercent(below)

/** The visible cuts, in timeline order or with the lowest confidence first. */
export function reviewList<T extends CutLike & { confidence: number | null }>(
  ordered: readonly T[],
  { order, hidden, below, shorterMs }: Review,
): readonly T[] {
  const shown =
    hidden.length || below !== null || shorterMs !== null
      ? ordered.filter(
          (e) =>
            !hidden.includes(e.type) &&
            (below === null || isDoubtful(e, below)) &&
            (shorterMs === null || e.end_ms - e.start_ms < shorterMs),
        )
      : ordered

  return order === 'time' ? shown : [...shown].sort((a, b) => (a.confidence ?? 1) - (b.confidence ?? 1))
}

/** The span of the selected words without the pauses around them; the selection itself if it is not one of words. */
export function restoredSpan(
  selection: Span,
  caret: { anchor: number; focus: number } | null,
  words: readonly { start_ms: number; end_ms: number }[],
): Span {
  const first = caret && words[Math.min(caret.anchor, caret.focus)]
  const last = caret && words[Math.max(caret.anchor, caret.focus)]
  return first && last ? { startMs: first.start_ms, endMs: last.end_ms } : selection
}

/**
 * Restores the footage of a span, and no other: switches off or removes cuts inside it, and shortens or splits cuts that
 * reach beyond, unless the rest is too short for a cut.
 */
export function restoreSpan(edits: readonly Splittable[], span: Span): EditAction {
  const change: { uuid: string; to: { active: boolean } | { start_ms: number } | { end_ms: number } }[] = []
  const create: Edit[] = []
  const remove: string[] = []
  for (const e of edits) {
    if (!e.active || e.start_ms >= span.endMs || e.end_ms <= span.startMs) continue
    const left = span.startMs - e.start_ms >= MIN_CUT_MS
    const right = e.end_ms - span.endMs >= MIN_CUT_MS
    if (left) change.push({ uuid: e.uuid, to: { end_ms: span.startMs } })
    else if (right) change.push({ uuid: e.uuid, to: { start_ms: span.endMs } })
    else if (e.type === 'manual') remove.push(e.uuid)
    else change.push({ uuid: e.uuid, to: { active: false } })
    if (left && right) create.push(partOf(e, span.endMs))
  }

  return { change, create, remove }
}

/** Restores the footage of several spans as one action. */
export function restoreSpans(edits: readonly Splittable[], spans: readonly Span[]): EditAction {
  let now: readonly Splittable[] = edits
  const created = new Map<string, Edit>()
  for (const span of spans) {
    const { change = [], create = [], remove = [] } = restoreSpan(now, span)
    if (change.length + create.length + remove.length === 0) continue
    const to = new Map(change.map((c) => [c.uuid, c.to]))
    for (const edit of create) if (isCut(edit)) created.set(edit.uuid, edit)
    now = [...now.filter((e) => !remove.includes(e.uuid)), ...create.filter(isCut)].map((e) =>
      Object.assign({}, e, to.get(e.uuid)),
    )
  }

  const after = new Map(now.map((e) => [e.uuid, e]))
  const left = edits.flatMap((e) => after.get(e.uuid) ?? [])
  return {
    change: left.map(({ uuid, active, start_ms, end_ms }) => ({ uuid, to: { active, start_ms, end_ms } })),
    create: [...created.values()].flatMap((e) => {
      const last = after.get(e.uuid)
      return last?.active ? [{ ...e, start_ms: last.start_ms, end_ms: last.end_ms }] : []
    }),
    remove: edits.filter((e) => !after.has(e.uuid)).map((e) => e.uuid),
  }
}

/** Splits a cut at ms into two of its kind. Returns null if a half would be too short. */
export function splitCut(e: Splittable, ms: number): { act: EditAction; second: string } | null {
  if (ms - e.start_ms < MIN_CUT_MS || e.end_ms - ms < MIN_CUT_MS) return null
  const second = partOf(e, ms)
  return { act: { change: [{ uuid: e.uuid, to: { end_ms: ms } }], create: [second] }, second: second.uuid }
}

/** The edit at project time ms; the shortest of overlapping ones. */
export function editAt<T extends CutLike>(edits: readonly T[], ms: number): T | undefined {
  let best: T | undefined
  for (const e of edits) {
    if (ms < e.start_ms || ms >= e.end_ms) continue
    if (!best || e.end_ms - e.start_ms < best.end_ms - best.start_ms) best = e
  }

  return best
}
