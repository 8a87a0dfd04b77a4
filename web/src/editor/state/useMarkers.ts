import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { changeMarker, createMarker, deleteMarker, markersQuery, type Marker } from '../../api/markers'
import { timelineText as text } from '../../text/editor/timeline'
import type { EditHistory } from '../edits/editHistory'

/** The markers of a project and their undoable changes. */
export interface MarkersState {
  /** By time. */
  markers: readonly Marker[]
  /** Adds a marker; added receives it the first time that it is there, not after undo and redo. */
  add: (kind: Marker['kind'], ms: number, added?: (marker: Marker) => void) => void
  rename: (marker: Marker, name: string) => void
  /** Moves a marker to project time ms. */
  move: (marker: Marker, ms: number) => void
  remove: (marker: Marker) => void
}

const NO_MARKERS: readonly Marker[] = []

export function useMarkers(project: string, history: EditHistory): MarkersState {
  const queryClient = useQueryClient()
  const markers = useQuery(markersQuery(project)).data ?? NO_MARKERS
  const changes = useMemo(() => {
    const { queryKey } = markersQuery(project)
    const show = (change: (list: Marker[]) => Marker[]) =>
      queryClient.setQueryData(queryKey, (list) => list && change(list).sort((a, b) => a.time_ms - b.time_ms))
    const refresh = () => queryClient.invalidateQueries({ queryKey })
    // Undo and redo may create a marker again, which then has another UUID.
    const existence = (
      { kind, time_ms, name }: Pick<Marker, 'kind' | 'time_ms' | 'name'>,
      existing?: string,
      added?: (marker: Marker) => void,
    ) => {
      let uuid = existing ?? ''
      let tell = added
      const create = async () => {
        const made = await createMarker(project, { kind, time_ms, name }).finally(() => void refresh())
        uuid = made.uuid
        show((list) => [...list.filter((m) => m.uuid !== uuid), made])
        tell?.(made)
        tell = undefined
      }
      const remove = async () => {
        show((list) => list.filter((m) => m.uuid !== uuid))
        await deleteMarker(uuid).finally(() => void refresh())
      }
      return { create, remove }
    }
    return {
      add: (kind: Marker['kind'], ms: number, added?: (marker: Marker) => void) => {
        const { create, remove } = existence({ kind, time_ms: Math.round(ms), name: '' }, undefined, added)
        history.make(text.addMarker[kind], create, remove)
      },
      remove: (marker: Marker) => {
        const { create, remove } = existence(marker, marker.uuid)
        history.make(text.removeMarker[marker.kind], remove, create)
      },
      rename: ({ uuid, name: before }: Marker, name: string) => {
        if (name.trim() === before) return
        const to = (name: string) => async () => {
          show((list) => list.map((m) => (m.uuid === uuid ? { ...m, name } : m)))
          await changeMarker(uuid, { name }).finally(() => void refresh())
        }
        history.make(text.renameMarker, to(name.trim()), to(before))
      },
      move: ({ uuid, time_ms: before }: Marker, ms: number) => {
        const after = Math.round(ms)
        if (after === before) return
        const to = (time_ms: number) => async () => {
          show((list) => list.map((m) => (m.uuid === uuid ? { ...m, time_ms } : m)))
          await changeMarker(uuid, { time_ms }).finally(() => void refresh())
        }
        history.make(text.moveMarker, to(after), to(before))
      },
    }
  }, [project, history, queryClient])
  return useMemo(() => ({ markers, ...changes }), [markers, changes])
}
