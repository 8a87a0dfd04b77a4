// The range of an export: what a person chooses, as project time.

import type { ExportRange } from '../../api/exports'
import { activeSpans, type CutLike, type Totals } from '../edits/cuts'
import { makePlan, type Rate, type Span } from '../plan/renderPlan'
import { parseTimecode } from '../plan/timecode'

/** What of the project an export has: all, the selected footage, the footage between two typed times, or a short. */
export interface RangeChoice {
  kind: 'whole' | 'selection' | 'times' | 'short'
  /** The typed times; an empty one is the start or the end of the project. */
  from: string
  to: string
  /** The UUID of the short. */
  short: string | null
}

export const WHOLE: RangeChoice = { kind: 'whole', from: '', to: '', short: null }

/** Why typed times do not give a range. */
export type RangeProblem = 'unreadable' | 'pastEnd' | 'reversed'

/** A chosen range; null for the whole project, and with a problem. */
export interface ChosenRange {
  range: ExportRange | null
  problems: { from?: RangeProblem; to?: RangeProblem }
}

/** The range of a choice in a project of totalMs, with its selected footage and its chosen short. */
export function rangeOf(
  choice: RangeChoice,
  selection: Span | null,
  totalMs: number,
  short: ExportRange | null = null,
): ChosenRange {
  if (choice.kind === 'short' && short)
    return { range: { start_ms: short.start_ms, end_ms: short.end_ms }, problems: {} }
  if (choice.kind === 'selection' && selection) {
    const start_ms = Math.max(Math.round(selection.startMs), 0)
    return { range: { start_ms, end_ms: Math.min(Math.round(selection.endMs), totalMs) }, problems: {} }
  }

  if (choice.kind !== 'times') return { range: null, problems: {} }
  const [from, to] = [timeOf(choice.from, 0), timeOf(choice.to, totalMs)]
  if (from === null) return { range: null, problems: { from: 'unreadable' } }
  if (to === null) return { range: null, problems: { to: 'unreadable' } }
  if (from >= totalMs) return { range: null, problems: { from: 'pastEnd' } }
  if (to > totalMs) return { range: null, problems: { to: 'pastEnd' } }
  if (to <= from) return { range: null, problems: { to: 'reversed' } }
  return { range: { start_ms: from, end_ms: to }, problems: {} }
}

const timeOf = (typed: string, otherwise: number) => (typed.trim() ? parseTimecode(typed) : otherwise)

/** Durations of a range: as recorded, of the result, and of the removed footage; milliseconds. */
export function rangeTotals(
  rate: Rate,
  clipsMs: readonly number[],
  edits: readonly CutLike[],
  { start_ms, end_ms }: ExportRange,
): Totals {
  const originalMs = end_ms - start_ms
  const around = [
    { startMs: 0, endMs: start_ms },
    { startMs: end_ms, endMs: clipsMs.reduce((a, b) => a + b, 0) },
  ]

  const resultMs = makePlan(rate, clipsMs, [...activeSpans(edits), ...around]).durationMs
  return { originalMs, resultMs, savedMs: Math.max(originalMs - resultMs, 0) }
}

/** Largest difference in milliseconds between the length of a file and of its footage, from the last audio frame. */
const LENGTH_MS = 100

/** Whether the footage of a range is still as long as the file that was exported of it. */
export const stillFits = (range: Totals, fileMs: number | null) =>
  fileMs !== null && Math.abs(range.resultMs - fileMs) <= LENGTH_MS

/** The longest Short that platforms take, in milliseconds. */
export const SHORTS_MS = 180_000
