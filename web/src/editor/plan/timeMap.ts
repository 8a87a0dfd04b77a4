// The map from project time to time in the edited video. Package media in Go computes the same map.

import { msAt, type RenderPlan, type Span } from './renderPlan'

/** A render plan with the project span and the output start of each segment, in milliseconds. */
export interface TimeMap {
  plan: RenderPlan
  projectSpans: readonly Span[]
  outputStarts: readonly number[]
}

export function makeTimeMap(plan: RenderPlan, layout: readonly Span[]): TimeMap {
  const where = plan.segments.map((s) => {
    const start = layout[s.input]!.startMs
    return { startMs: start + msAt(plan.rate, s.in), endMs: start + msAt(plan.rate, s.out) }
  })

  return { plan, projectSpans: where, outputStarts: plan.segments.map((s) => msAt(plan.rate, s.start)) }
}

/** The output span of a span of project time, without the cuts in it; null if all of it is cut. */
export function outputSpan({ projectSpans: where, outputStarts: starts }: TimeMap, span: Span): Span | null {
  let lo = 0
  let hi = where.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (where[mid]!.endMs > span.startMs) hi = mid
    else lo = mid + 1
  }

  let out: Span | null = null
  for (let i = lo; i < where.length && where[i]!.startMs < span.endMs; i++) {
    const from = Math.max(span.startMs, where[i]!.startMs)
    const to = Math.min(span.endMs, where[i]!.endMs)
    if (to <= from) continue
    out ??= { startMs: starts[i]! + from - where[i]!.startMs, endMs: 0 }
    out.endMs = starts[i]! + to - where[i]!.startMs
  }

  return out
}
