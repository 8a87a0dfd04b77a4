import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { anyRun } from '../../api/analysis'
import { allCaptionLines } from '../../api/captions'
import { changeVocabulary, projectQuery } from '../../api/projects'
import { allReplacedPlaces, placesOf, replaceText, type TextReplacement } from '../../api/replace'
import { transcriptText as text } from '../../text/editor/transcript'
import { useHistory, useProject, useWords } from '../state/contexts'
import { placeRows } from './replacePlaces'
import { joinWords } from '../plan/joinWords'

interface Messages {
  /** Names the change in undo. */
  label: string
  done: string
  failed: string
  /** Whether the new text becomes a term of the project's vocabulary. */
  remember?: boolean
}

/** Replaces text in the transcript and the captions, undoably. */
export function useReplace() {
  const { project } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const { uuid, vocabulary } = project
  const replace = useCallback(
    (body: TextReplacement, only: number[], { label, done, failed, remember = false }: Messages): Promise<void> => {
      const refresh = () =>
        Promise.all(
          [
            projectQuery(uuid).queryKey,
            anyRun(uuid).queryKey,
            allCaptionLines(uuid).queryKey,
            allReplacedPlaces(uuid).queryKey,
          ].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
        )

      setBusy(true)
      return history
        .request(label, (name) => replaceText(uuid, body, only, name).finally(() => void refresh()))
        .then(async (made) => {
          if (!made) return
          toast.success(done, { description: text.replacedHint })
          const term = body.replace.trim()
          if (!remember || vocabulary.includes(term)) return
          await changeVocabulary(uuid, [term, ...vocabulary]).finally(() => void refresh())
        })
        .catch((error: unknown) => void toast.error(failed, { description: messageOf(error) }))
        .finally(() => setBusy(false))
    },
    [uuid, vocabulary, history, queryClient],
  )

  return { replace, busy }
}

/** Corrects the words from first to last in the transcript, and in the caption line that shows them. */
export function useCorrection() {
  const words = useWords()
  const { project } = useProject()
  const { replace } = useReplace()
  return useCallback(
    async (first: number, last: number, after: string): Promise<void> => {
      const before = joinWords(words.slice(first, last + 1).map((w) => w.text))

      if (after.trim() === '' || after.trim() === before) return
      const body = { find: before, replace: after, match_case: true, whole_words: true, in: 'everywhere' as const }
      try {
        const rows = placeRows(await placesOf(project.uuid, body))
        const row = rows.find((r) => r.where !== 'captions' && r.startMs === words[first]!.start_ms)
        if (!row) return void toast.error(text.correctFailed, { description: text.notFoundAgain })
        await replace(body, row.indices, {
          label: text.correctLabel,
          done: text.corrected(before, after.trim()),
          failed: text.correctFailed,
        })
      } catch (error) {
        toast.error(text.correctFailed, { description: messageOf(error) })
      }
    },
    [words, project.uuid, replace],
  )
}
