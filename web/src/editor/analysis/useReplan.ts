import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { analysisText } from '../../text/editor/analysis'
import { replan, runsQuery, type AnalysisSettings } from '../../api/analysis'
import { editsQuery } from '../../api/edits'
import { historyQuery } from '../../api/history'
import { takeGroupsQuery } from '../../api/takes'
import { useHistory, useProject } from '../state/contexts'
import { mergePlanned } from '../edits/plannedEdits'
import { persist } from '../state/useEditHistory'

/** Previews the cuts of other analysis settings, and saves the settings when they are released. */
export function useReplan(run: string | null): {
  show: (settings: AnalysisSettings) => void
  /** Calls saved when the runs are loaded again. */
  commit: (settings: AnalysisSettings, saved: () => void) => void
} {
  const { project } = useProject()
  const { history, setPreview } = useHistory()
  const queryClient = useQueryClient()
  const wanted = useRef<AnalysisSettings | null>(null)
  const busy = useRef<AbortController | null>(null)
  /** The released settings. A key press commits its value before it reports the change, which must not start a preview. */
  const released = useRef<AnalysisSettings | null>(null)
  const commits = useRef(0)
  useEffect(() => () => busy.current?.abort(), [])

  // One request at a time: the latest settings wait, and earlier ones are skipped.
  const show = useCallback(
    (settings: AnalysisSettings) => {
      if (!run || sameSettings(settings, released.current)) return
      released.current = null
      wanted.current = settings
      if (busy.current) return
      const controller = new AbortController()
      busy.current = controller
      const ask = async () => {
        while (wanted.current && !controller.signal.aborted) {
          const next = wanted.current
          wanted.current = null
          const planned = await replan(project.uuid, run, next, true, { signal: controller.signal })
          if (!controller.signal.aborted) setPreview(mergePlanned(planned.items, history.snapshot().edits))
        }
      }

      ask()
        .catch(() => undefined) // commit reports errors
        .finally(() => {
          if (busy.current === controller) busy.current = null
        })
    },
    [history, project.uuid, run, setPreview],
  )

  // The preview stays until the new edits are loaded.
  const commit = useCallback(
    (settings: AnalysisSettings, saved: () => void) => {
      if (!run) return
      busy.current?.abort()
      busy.current = null
      wanted.current = null
      released.current = settings
      const mine = ++commits.current
      const newest = () => mine === commits.current
      const save = async () => {
        const planned = await history.request(analysisText.changeLabel, (name) =>
          persist(() => replan(project.uuid, run, settings, false, { name })),
        )

        if (planned && newest()) setPreview(mergePlanned(planned.items, history.snapshot().edits))
        await Promise.all(
          [editsQuery, takeGroupsQuery, runsQuery, historyQuery].map((query) =>
            queryClient.invalidateQueries({ queryKey: query(project.uuid).queryKey }),
          ),
        )

        const list = queryClient.getQueryData(editsQuery(project.uuid).queryKey)
        if (list) history.load(list)
        if (newest()) setPreview(null)
        saved()
      }

      void save()
    },
    [history, project.uuid, queryClient, run, setPreview],
  )

  return { show, commit }
}

const sameSettings = (a: AnalysisSettings, b: AnalysisSettings | null) => JSON.stringify(a) === JSON.stringify(b)
