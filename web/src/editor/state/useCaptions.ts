import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  captionLinesQuery,
  changeCaptionLine,
  createCaptionLine,
  deleteCaptionLine,
  importCaptions,
  mergeCaptionLine,
  regenerateCaptions,
  splitCaptionLine,
  type CaptionChange,
  type CaptionLine,
  type CaptionTimes,
} from '../../api/captions'
import { captionsText } from '../../text/editor/captions'
import type { LineSpan } from '../edits/captionEdits'
import type { EditHistory } from '../edits/editHistory'
import { persist } from './useEditHistory'

const labels = captionsText.changes

/** The caption lines of the active run and their undoable changes. */
export interface CaptionsState {
  /** By time; empty until loaded. */
  lines: readonly CaptionLine[]
  change: (line: CaptionLine, to: CaptionChange) => void
  /** Adds a line and returns it; null if it could not be saved. */
  add: (span: LineSpan, text: string) => Promise<CaptionLine | null>
  remove: (line: CaptionLine) => void
  /** Divides a line before a character. Returns the second part. */
  split: (line: CaptionLine, position: number, atMs?: number) => Promise<CaptionLine | null>
  /** Joins a line with the next one of its clip. */
  merge: (line: CaptionLine) => Promise<CaptionLine | null>
  /** Builds all lines again, with at most this many words each. */
  rebuild: (maxWords: number) => Promise<unknown>
  /** Replaces all lines with the lines of a subtitle file. Returns their number; null if the file cannot be read. */
  importFile: (text: string, times: CaptionTimes) => Promise<{ created: number; warnings: string[] } | null>
}

const NO_LINES: readonly CaptionLine[] = []

export function useCaptions(project: string, run: string | null, history: EditHistory): CaptionsState {
  const queryClient = useQueryClient()
  const lines = useQuery(captionLinesQuery(project, run)).data ?? NO_LINES
  const changes = useMemo((): Omit<CaptionsState, 'lines'> => {
    const { queryKey } = captionLinesQuery(project, run)
    const show = (change: (list: CaptionLine[]) => CaptionLine[]) =>
      queryClient.setQueryData(queryKey, (list) => list && change(list).sort((a, b) => a.start_ms - b.start_ms))

    const refresh = () => void queryClient.invalidateQueries({ queryKey })
    // A list that was requested before a change would hide it.
    const perform: EditHistory['request'] = (label, send) =>
      history.request(label, async (name) => {
        await queryClient.cancelQueries({ queryKey })
        return persist(() => send(name)).finally(refresh)
      })

    return {
      change: (line, to) => {
        if (Object.entries(to).every(([field, value]) => line[field as keyof CaptionLine] === value)) return
        show((list) => list.map((l) => (l.uuid === line.uuid ? { ...l, ...to } : l)))
        void perform(to.text === undefined && to.speaker === undefined ? labels.move : labels.edit, (name) =>
          changeCaptionLine(line.uuid, to, name),
        )
      },
      add: async (span, text) => {
        const made = await perform(labels.add, (name) => createCaptionLine(project, { ...span, text }, name))
        if (made) show((list) => [...list.filter((l) => l.uuid !== made.uuid), made])
        return made
      },
      remove: (line) => {
        show((list) => list.filter((l) => l.uuid !== line.uuid))
        void perform(labels.remove, (name) => deleteCaptionLine(line.uuid, name))
      },
      split: async (line, position, atMs) => {
        const body = atMs === undefined ? { position } : { position, at_ms: Math.round(atMs) }
        const made = await perform(labels.split, (name) => splitCaptionLine(line.uuid, body, name))
        if (!made) return null
        const parts = new Set(made.items.map((l) => l.uuid))
        show((list) => [...list.filter((l) => !parts.has(l.uuid)), ...made.items])
        return made.items[1] ?? null
      },
      merge: async (line) => {
        const made = await perform(labels.merge, (name) => mergeCaptionLine(line.uuid, name))
        if (made)
          show((list) => {
            const at = list.findIndex((l) => l.uuid === line.uuid)
            return list.flatMap((l, i) => (i === at ? [made] : at >= 0 && i === at + 1 ? [] : [l]))
          })
        return made
      },
      rebuild: (maxWords) => perform(labels.rebuild, (name) => regenerateCaptions(project, maxWords, name)),
      importFile: async (text, times) => {
        const made = await perform(labels.import, (name) => importCaptions(project, text, times, name))
        return made && { created: made.created, warnings: made.warnings ?? [] }
      },
    }
  }, [project, run, history, queryClient])

  return useMemo(() => ({ lines, ...changes }), [lines, changes])
}
