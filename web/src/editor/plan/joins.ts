// Choices for single joins, as the options of the export hold them.

import type { Segment, Span } from './renderPlan'
import { msAt, type RenderPlan } from './renderPlan'
import type { JoinChoice } from './views'

/** A choice for the join at a time of a clip, which the cuts remove. */
export interface Join {
  clip_uuid: string
  at_ms: number
  size?: 'in' | 'out'
  change?: 'hard' | 'eased'
}

/** The most joins that an export accepts. */
const MOST = 5000

/** A join of the edited video: the footage of a clip that is cut at it. */
export interface JoinPlace {
  clip: string
  /** Clip time that the cuts remove. */
  span: Span
}

/** The choices for the joins of a clip, in order of time. */
export const joinsOf = (all: readonly Join[], clip: string): JoinChoice[] =>
  all
    .filter((j) => j.clip_uuid === clip)
    .map(({ at_ms, size, change }) => ({ atMs: at_ms, ...(size ? { size } : {}), ...(change ? { change } : {}) }))
    .sort((a, b) => a.atMs - b.atMs)

/** The join where footage at project time ms is cut; null if it stays, or if it is at the start or end of its clip. */
export function joinAt(
  plan: RenderPlan,
  clips: readonly { uuid: string }[],
  layout: readonly Span[],
  ms: number,
): JoinPlace | null {
  const after = plan.segments.findIndex((s) => layout[s.input]!.startMs + msAt(plan.rate, s.out) > ms)
  const [last, next]: (Segment | undefined)[] = [plan.segments[after - 1], plan.segments[after]]
  if (!last || !next || last.input !== next.input) return null
  const span = { startMs: msAt(plan.rate, last.out), endMs: msAt(plan.rate, next.in) }
  const at = ms - layout[next.input]!.startMs
  return at >= span.startMs && at < span.endMs ? { clip: clips[next.input]!.uuid, span } : null
}

const isIn = (join: Join, { clip, span }: JoinPlace) =>
  join.clip_uuid === clip && join.at_ms >= span.startMs && join.at_ms <= span.endMs

/** The choice for a join; an empty one without a choice. */
export function choiceAt(all: readonly Join[], place: JoinPlace): Pick<Join, 'size' | 'change'> {
  const { size, change } = all.filter((j) => isIn(j, place)).at(-1) ?? {}
  return { ...(size ? { size } : {}), ...(change ? { change } : {}) }
}

/** Sets the choice for a join; an empty one removes it. The oldest give way to new ones. */
export function setJoin(all: readonly Join[], place: JoinPlace, to: Pick<Join, 'size' | 'change'>): Join[] {
  const others = all.filter((j) => !isIn(j, place))
  if (!to.size && !to.change) return others
  const at_ms = Math.round((place.span.startMs + place.span.endMs) / 2)
  return [...others, { clip_uuid: place.clip, at_ms, ...to }].slice(-MOST)
}
