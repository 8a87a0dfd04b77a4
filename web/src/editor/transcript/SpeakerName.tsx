import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { anyRun } from '../../api/analysis'
import { projectQuery } from '../../api/projects'
import { renameSpeaker } from '../../api/replace'
import { transcriptText as text } from '../../text/editor/transcript'
import { useHistory, useProject } from '../state/contexts'

/** The name of a speaker. A click turns it into a field that renames the speaker in the whole transcript. */
export function SpeakerName({ name }: { name: string }) {
  const [editing, setEditing] = useState(false)
  const rename = useRename()
  if (!editing)
    return (
      <button
        type="button"
        dir="auto"
        title={text.renameSpeaker(name)}
        aria-label={text.renameSpeaker(name)}
        onClick={() => setEditing(true)}
        className="-my-1 max-w-full truncate rounded-sm px-1 py-1 align-bottom font-semibold text-muted hover:bg-hover hover:text-ink"
      >
        {name}
      </button>
    )
  return (
    <NameField
      name={name}
      onEnd={(after) => {
        setEditing(false)
        if (after) void rename(name, after)
      }}
    />
  )
}

/** A field for the new name. Enter and leaving the field rename the speaker; Escape does not. */
function NameField({ name, onEnd }: { name: string; onEnd: (after: string | null) => void }) {
  const ended = useRef(false)
  const end = (after: string | null) => {
    if (ended.current) return
    ended.current = true
    onEnd(after && after !== name ? after : null)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    end(event.key === 'Enter' ? event.currentTarget.value.trim() : null)
    document.querySelector<HTMLElement>('[data-transcript]')?.focus()
  }

  return (
    <input
      ref={(field) => field?.select()}
      autoFocus
      dir="auto"
      aria-label={text.speakerName(name)}
      defaultValue={name}
      maxLength={100}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.stopPropagation()}
      onContextMenu={(event) => event.stopPropagation()}
      onBlur={(event) => end(event.currentTarget.value.trim())}
      className="field-sizing-content max-w-full rounded-sm border border-accent bg-raised px-1 font-semibold text-ink select-text focus:outline-none"
    />
  )
}

function useRename() {
  const { project } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  return (before: string, after: string): Promise<void> => {
    const refresh = () =>
      Promise.all(
        [projectQuery(project.uuid).queryKey, anyRun(project.uuid).queryKey].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )

    return history
      .request(text.speakerLabel, (name) =>
        renameSpeaker(project.uuid, before, after, name).finally(() => void refresh()),
      )
      .then((made) => {
        if (made) toast.success(text.speakerRenamed(before, after), { description: text.speakerHint })
      })
      .catch((error: unknown) => void toast.error(text.speakerFailed, { description: messageOf(error) }))
  }
}
