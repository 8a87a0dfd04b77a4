import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { toast } from 'sonner'
import { analysisText } from '../../text/editor/analysis'
import { replan, type AnalysisSettings, type PlannedEdit } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { editsQuery } from '../../api/edits'
import { queryKeys } from '../../api/keys'
import { useHistory, useProject } from '../state/contexts'
import { mergePlanned } from '../edits/plannedEdits'

/** Previews the cuts of other analysis settings, and saves the settings when they are released. */
export function useReplan(run: string | null): {
  show: (settings: AnalysisSettings) => void
  commit: (settings: AnalysisSettings) => void
} {
  const { project } = useProject()
  const { history, setPreview } = useHistory()
  const queryClient = useQueryClient()
  const wanted = useRef<AnalysisSettings | null>(null)
  const busy = useRef<AbortController | null>(null)
  /** The released settings. A key press commits its value before it reports the change, which must not start a preview. */
  const released = useRef<AnalysisSettings | null>(null)
  const commits = useRef(0)
  const last = useRef(Promise.resolve())
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
          const answer = await replan(project.uuid, run, next, true, controller.signal)
          if (!controller.signal.aborted) setPreview(mergePlanned(answer.items, history.snapshot().edits))
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

  // keep saves settings, one after the other, and refetches the edits.
  const keep = useCallback(
    (settings: AnalysisSettings, answered: (items: readonly PlannedEdit[]) => void) => {
      const work = async () => {
        if (!run) return
        answered((await replan(project.uuid, run, settings, false)).items)
        await Promise.all(
          (['edits', 'takeGroups', 'runs', 'history'] as const).map((name) =>
            queryClient.invalidateQueries({ queryKey: queryKeys[name](project.uuid) }),
          ),
        )
      }
      const done = last.current.then(work)
      last.current = done.catch(() => undefined)
      return done
    },
    [project.uuid, queryClient, run],
  )

  // The preview stays until the new edits are loaded.
  const commit = useCallback(
    (settings: AnalysisSettings) => {
      busy.current?.abort()
      busy.current = null
      wanted.current = null
      released.current = settings
      const mine = ++commits.current
      const newest = () => mine === commits.current
      keep(settings, (items) => newest() && setPreview(mergePlanned(items, history.snapshot().edits)))
        .then(() => {
          const list = queryClient.getQueryData(editsQuery(project.uuid).queryKey)
          if (list) history.load(list)
        })
        .catch((error: unknown) => toast.error(analysisText.changeFailed, { description: messageOf(error) }))
        .finally(() => newest() && setPreview(null))
    },
    [history, keep, project.uuid, queryClient, setPreview],
  )
  return { show, commit }
}

const sameSettings = (a: AnalysisSettings, b: AnalysisSettings | null) => JSON.stringify(a) === JSON.stringify(b)
