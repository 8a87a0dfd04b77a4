import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  changeShort,
  createShort,
  deleteShort,
  shortsQuery,
  type NewShort,
  type Short,
  type ShortChange,
} from '../../api/shorts'
import { shortsText } from '../../text/editor/shorts'
import type { EditHistory } from '../edits/editHistory'
import { persist } from './useEditHistory'

const labels = shortsText.changes

/** The shorts of a project and their undoable changes. */
export interface ShortsState {
  /** By start. */
  shorts: readonly Short[]
  /** Adds a short and returns it; null if it could not be saved. */
  add: (short: NewShort) => Promise<Short | null>
  rename: (short: Short, name: string) => void
  /** Moves or trims a short. */
  place: (short: Short, to: { start_ms: number; end_ms: number }) => void
  /** Replaces the settings of its exports. */
  restyle: (short: Short, settings: Short['export_settings']) => void
  remove: (short: Short) => void
}

const NO_SHORTS: readonly Short[] = []

export function useShorts(project: string, history: EditHistory): ShortsState {
  const queryClient = useQueryClient()
  const shorts = useQuery(shortsQuery(project)).data ?? NO_SHORTS
  const changes = useMemo((): Omit<ShortsState, 'shorts'> => {
    const { queryKey } = shortsQuery(project)
    const show = (change: (list: Short[]) => Short[]) =>
      queryClient.setQueryData(queryKey, (list) => list && change(list).sort((a, b) => a.start_ms - b.start_ms))

    const refresh = () => void queryClient.invalidateQueries({ queryKey })
    // A list that was requested before a change would hide it.
    const perform: EditHistory['request'] = (label, send) =>
      history.request(label, async (name) => {
        await queryClient.cancelQueries({ queryKey })
        return persist(() => send(name)).finally(refresh)
      })

    const change = (label: string, short: Short, to: ShortChange) => {
      show((list) => list.map((s) => (s.uuid === short.uuid ? { ...s, ...to } : s)))
      void perform(label, (name) => changeShort(project, short.uuid, to, name))
    }

    return {
      add: async (short) => {
        const made = await perform(labels.add, (name) => createShort(project, short, name))
        if (made) show((list) => [...list.filter((s) => s.uuid !== made.uuid), made])
        return made
      },
      remove: (short) => {
        show((list) => list.filter((s) => s.uuid !== short.uuid))
        void perform(labels.remove, (name) => deleteShort(project, short.uuid, name))
      },
      rename: (short, to) => {
        const name = to.trim()
        if (name && name !== short.name) change(labels.rename, short, { name })
      },
      place: (short, { start_ms, end_ms }) => {
        if (start_ms === short.start_ms && end_ms === short.end_ms) return
        const moved = end_ms - start_ms === short.end_ms - short.start_ms
        change(moved ? labels.move : labels.trim, short, { start_ms, end_ms })
      },
      restyle: (short, export_settings) => change(labels.restyle, short, { export_settings }),
    }
  }, [project, history, queryClient])

  return useMemo(() => ({ shorts, ...changes }), [shorts, changes])
}
