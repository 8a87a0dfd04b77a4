import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from 'sonner'
import { replan, type Knobs, type PlannedEdit } from '../api/analysis'
import { messageOf } from '../api/client'
import type { Edit } from '../api/edits'
import { isCut } from './cuts'
import { useModel } from './model'

/** Shows at once what other knobs would give, and makes it so at release. */
export function useReplan(run: string | null, saved: Knobs): { show: (knobs: Knobs) => void; commit: (knobs: Knobs) => void } {
  const { project, book, setPreview } = useModel()
  const queryClient = useQueryClient()
  const wanted = useRef<Knobs | null>(null)
  const busy = useRef<AbortController | null>(null)
  useEffect(() => () => busy.current?.abort(), [])

  // One question at a time; the newest one waits, older ones are skipped.
  const show = useCallback(
    (knobs: Knobs) => {
      if (!run) return
      wanted.current = knobs
      if (busy.current) return
      const controller = new AbortController()
      busy.current = controller
      const ask = async () => {
        while (wanted.current && !controller.signal.aborted) {
          const next = wanted.current
          wanted.current = null
          const answer = await replan(project.uuid, run, next, true, controller.signal)
          if (!controller.signal.aborted) setPreview(merged(answer.items, book.snapshot().edits))
        }
      }
      ask()
        .catch(() => undefined) // the release says what is wrong
        .finally(() => {
          if (busy.current === controller) busy.current = null
        })
    },
    [book, project.uuid, run, setPreview],
  )

  const apply = useCallback(
    async (knobs: Knobs) => {
      if (!run) return
      await replan(project.uuid, run, knobs, false)
      await Promise.all(['edits', 'runs', 'run'].map((name) => queryClient.invalidateQueries({ queryKey: [name, project.uuid] })))
    },
    [project.uuid, queryClient, run],
  )

  const commit = useCallback(
    (knobs: Knobs) => {
      busy.current?.abort()
      busy.current = null
      wanted.current = null
      apply(knobs)
        .then(() => book.did('turning a knob', () => apply(knobs), () => apply(saved)))
        .catch((error: unknown) => toast.error('The cuts were not changed', { description: messageOf(error) }))
        .finally(() => setPreview(null))
    },
    [apply, book, saved, setPreview],
  )
  return { show, commit }
}

/** Proposed edits together with the cuts that were made by hand, which no knob touches. */
export function merged(planned: readonly PlannedEdit[], current: readonly Edit[]): Edit[] {
  const proposed = planned
    .filter(isCut)
    .filter((e) => e.type !== 'manual')
    .map((e): Edit => ({ ...e, uuid: e.uuid ?? `planned-${e.type}-${e.start_ms}`, created_at: e.created_at ?? '', updated_at: e.updated_at ?? '' }))
  return [...proposed, ...current.filter((e) => e.type === 'manual')]
}
