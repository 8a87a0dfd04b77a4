import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, type ReactNode } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { clipsQuery, importTranscript, removeTranscript, type Clip } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { decodeText } from '../../api/decodeText'
import { useProject } from '../state/contexts'

export interface TranscriptFile {
  /** Opens a file dialog and gives the clip the transcript of the chosen file. */
  choose: () => void
  remove: () => void
  /** The field behind the file dialog; render it outside of menus, which close. */
  field: ReactNode
}

/** The imported transcript of a clip. */
export function useTranscriptFile(clip: Clip): TranscriptFile {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const refresh = () => queryClient.invalidateQueries({ queryKey: clipsQuery(project.uuid).queryKey })
  const load = useMutation({
    mutationFn: async (file: File) => {
      const content = decodeText(await file.arrayBuffer())
      if (content === null) return void toast.error(text.transcriptFailed, { description: text.transcriptNotText })
      const { imported_transcript: imported } = await importTranscript(clip.uuid, file.name, content)
      const warnings = imported?.warnings ?? []
      const next = project.active_run_id ? text.transcriptFindAgain : text.transcriptFind
      const show = warnings.length > 0 ? toast.warning : toast.success
      show(text.transcriptImported(file.name), { description: [...warnings, next].join(' ') })
    },
    onSettled: refresh,
    onError: (error) => toast.error(text.transcriptFailed, { description: messageOf(error) }),
  })

  const drop = useMutation({
    mutationFn: () => removeTranscript(clip.uuid),
    onSettled: refresh,
    onError: (error) => toast.error(text.transcriptFailed, { description: messageOf(error) }),
  })

  const field = (
    <input
      ref={input}
      type="file"
      accept=".srt,.vtt,.json"
      className="sr-only"
      tabIndex={-1}
      aria-label={text.transcriptFile(clip.name)}
      onChange={(e) => {
        const file = e.target.files?.[0]
        if (file) load.mutate(file)
        e.target.value = ''
      }}
    />
  )

  return { choose: () => input.current?.click(), remove: () => drop.mutate(), field }
}
