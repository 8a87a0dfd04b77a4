import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  changeMarker,
  createMarker,
  deleteMarker,
  markersQuery,
  type Marker,
  type MarkerChange,
} from '../../api/markers'
import { timelineText as text } from '../../text/editor/timeline'
import type { EditHistory } from '../edits/editHistory'
import { persist } from './useEditHistory'

/** The markers of a project and their undoable changes. */
export interface MarkersState {
  /** By time. */
  markers: readonly Marker[]
  /** Adds a marker and returns it; null if it could not be saved. */
  add: (kind: Marker['kind'], ms: number) => Promise<Marker | null>
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

    const refresh = () => void queryClient.invalidateQueries({ queryKey })
    // A list that was requested before a change would hide it.
    const perform: EditHistory['request'] = (label, send) =>
      history.request(label, async (name) => {
        await queryClient.cancelQueries({ queryKey })
        return persist(() => send(name)).finally(refresh)
      })

    const change = (label: string, marker: Marker, to: MarkerChange) => {
      show((list) => list.map((m) => (m.uuid === marker.uuid ? { ...m, ...to } : m)))
      void perform(label, (name) => changeMarker(marker.uuid, to, name))
    }

    return {
      add: async (kind: Marker['kind'], ms: number) => {
        const made = await perform(text.addMarker[kind], (name) =>
          createMarker(project, { kind, time_ms: Math.round(ms), name: '' }, name),
        )

        if (made) show((list) => [...list.filter((m) => m.uuid !== made.uuid), made])
        return made
      },
      remove: (marker: Marker) => {
        show((list) => list.filter((m) => m.uuid !== marker.uuid))
        void perform(text.removeMarker[marker.kind], (name) => deleteMarker(marker.uuid, name))
      },
      rename: (marker: Marker, name: string) => {
        if (name.trim() !== marker.name) change(text.renameMarker[marker.kind], marker, { name: name.trim() })
      },
      move: (marker: Marker, ms: number) => {
        const time_ms = Math.round(ms)
        if (time_ms !== marker.time_ms) change(text.moveMarker[marker.kind], marker, { time_ms })
      },
    }
  }, [project, history, queryClient])

  return useMemo(() => ({ markers, ...changes }), [markers, changes])
}
