import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { toast } from 'sonner'
import { messageOf, Problem } from '../../api/client'
import { changeEdit, changeEdits, createEdit, deleteEdit, editsQuery, type AnyEdit } from '../../api/edits'
import { queryKeys } from '../../api/keys'
import { chooseTake } from '../../api/takes'
import { shellText } from '../../text/editor/shell'
import { EditHistory, type EditState } from '../edits/editHistory'
import { useLive } from './store'

/** The undoable edits of a project, saved through the API. */
export function useEditHistory(project: string, loaded: AnyEdit[] | undefined): [EditHistory, EditState] {
  const queryClient = useQueryClient()
  const history = useMemo(() => {
    const { queryKey } = editsQuery(project)
    let saves = 0
    const made: EditHistory = new EditHistory(
      {
        create: (edit) => persist(() => createEdit(project, edit)),
        change: (uuid, change) => persist(() => changeEdit(uuid, change)),
        changeMany: (changes) => persist(() => changeEdits(project, changes)),
        remove: (uuid) => persist(() => deleteEdit(uuid)),
        chooseTake: (group, number) => persist(() => chooseTake(project, group, number)),
      },
      {
        onSaveStart: () => void queryClient.cancelQueries({ queryKey }),
        onSaveError: (error, label) => toast.error(shellText.notSaved(label), { description: messageOf(error) }),
        onSaved: () => {
          const save = ++saves
          // The list is loaded here and not by the effect below: React skips the effect when the new
          // list equals the previous one, which load may have ignored during a save.
          void queryClient.invalidateQueries({ queryKey: queryKeys.takeGroups(project) })
          void queryClient.invalidateQueries({ queryKey }).then(() => {
            const list = queryClient.getQueryData(queryKey)
            if (list && save === saves) made.load(list)
          })
        },
      },
    )
    return made
  }, [project, queryClient])
  const state = useSyncExternalStore(history.subscribe, history.snapshot)
  useEffect(() => {
    if (loaded) history.load(loaded)
  }, [history, loaded])
  return [history, state]
}

/** Delays between retries while the server does not answer, in milliseconds. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

// persist retries until the server answers, so that a lost connection delays changes but loses none.
async function persist<T>(request: () => Promise<T>): Promise<T> {
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
