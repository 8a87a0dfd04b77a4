import { hashKey, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { toast } from 'sonner'
import { messageOf, Problem } from '../../api/client'
import { changeEdit, changeEdits, createEdit, deleteEdit, editsQuery, type AnyEdit } from '../../api/edits'
import { historyQuery, undoChange } from '../../api/history'
import { chooseTake, takeGroupsQuery } from '../../api/takes'
import { shellText } from '../../text/editor/shell'
import { EditHistory, type EditState } from '../edits/editHistory'
import { refreshKind } from './refresh'
import { useLive } from './store'

/** The undoable edits of a project, saved through the API. */
export function useEditHistory(project: string, loaded: AnyEdit[] | undefined): [EditHistory, EditState] {
  const queryClient = useQueryClient()
  const history = useMemo(() => makeHistory(project, queryClient), [project, queryClient])
  const state = useSyncExternalStore(history.subscribe, history.snapshot)
  useEffect(() => {
    if (loaded) history.load(loaded)
  }, [history, loaded])

  useQuery(historyQuery(project))
  useEffect(() => {
    const { queryKey } = historyQuery(project)
    const load = () => {
      const entries = queryClient.getQueryData(queryKey)
      if (entries) history.loadHistory(entries)
    }

    load()
    // A list that arrives during a save is stale. An effect on the list could run after the save.
    return queryClient.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'success') return
      if (event.query.queryHash === hashKey(queryKey)) load()
    })
  }, [history, project, queryClient])

  return [history, state]
}

function makeHistory(project: string, queryClient: QueryClient): EditHistory {
  const { queryKey } = editsQuery(project)
  const entries = historyQuery(project)
  let saves = 0
  let missed = false // a request for the history was cancelled
  const made: EditHistory = new EditHistory(
    {
      create: (edit, name) => persist(() => createEdit(project, edit, name)),
      change: (uuid, change, name) => persist(() => changeEdit(uuid, change, name)),
      changeMany: (changes, name) => persist(() => changeEdits(project, changes, name)),
      remove: (uuid, name) => persist(() => deleteEdit(uuid, name)),
      chooseTake: (group, number, name) => persist(() => chooseTake(project, group, number, name)),
      undo: async (entry, redo, strict) => {
        const { uuid, kind, label } = await persist(() => undoChange(project, entry, redo)).catch((error: unknown) => {
          if (!(error instanceof Problem) || error.status !== 409) throw error
          if (strict) throw new Problem(409, error.code, shellText.changedElsewhere)
          return persist(() => undoChange(project, null, redo))
        })

        refreshKind(queryClient, project, kind)
        if (uuid !== entry) toast.info(shellText.newerChange(label, redo), { description: shellText.newerChangeHint })
        return uuid === entry
      },
    },
    {
      // Lists that were requested before a change would hide it.
      onSaveStart: () => {
        void queryClient.cancelQueries({ queryKey })
        if (queryClient.isFetching({ queryKey: entries.queryKey }) === 0) return
        missed = true
        void queryClient.cancelQueries({ queryKey: entries.queryKey })
      },
      onSaveError: (error, label) => toast.error(shellText.notSaved(label), { description: messageOf(error) }),
      onSaved: (stale) => {
        const save = ++saves
        // The list is loaded here and not by the effect below: React skips the effect when the new
        // list equals the previous one, which load may have ignored during a save.
        void queryClient.invalidateQueries({ queryKey: takeGroupsQuery(project).queryKey })
        void queryClient.invalidateQueries({ queryKey }).then(() => {
          const list = queryClient.getQueryData(queryKey)
          if (list && save === saves) made.load(list)
        })

        // The server may have read a list that is still on its way before it stored the change.
        if (!stale && !missed && queryClient.isFetching({ queryKey: entries.queryKey }) === 0) return
        missed = false
        void queryClient.invalidateQueries({ queryKey: entries.queryKey })
      },
    },
  )

  return made
}

/** Delays between retries while the server does not answer, in milliseconds. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

/** Retries until the server answers, so that a lost connection delays changes but loses none. */
export async function persist<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const result = await request()
      useLive.setState({ offline: false })
      return result
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 0) throw error
      useLive.setState({ offline: true })
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]))
    }
  }
}
