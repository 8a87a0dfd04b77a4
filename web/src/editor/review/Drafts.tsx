import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { applyDraft, changeDraft, deleteDraft, draftsQuery, saveDraft, type DraftSummary } from '../../api/drafts'
import { shortsQuery } from '../../api/shorts'
import { reviewText as text } from '../../text/editor/review'
import { relativeTime } from '../../text/format'
import { Button, IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { useEdits, useHistory, useProject, useSaveState } from '../state/contexts'
import { refetch } from '../state/refresh'
import { overridesOf } from './drafts'

/** Saves the current edits as a draft, and applies saved ones. `applied` is called after that. */
export function Drafts({ applied }: { applied: () => void }) {
  const { project } = useProject()
  const drafts = useQuery(draftsQuery(project.uuid))
  return (
    <>
      <SaveDraft number={(drafts.data?.length ?? 0) + 1} />
      {drafts.error && <p className="mt-3 text-xs text-danger">{text.draftsLoadFailed(messageOf(drafts.error))}</p>}
      {drafts.data?.length === 0 && <p className="mt-3 text-xs text-muted">{text.noDrafts}</p>}
      {drafts.data && drafts.data.length > 0 && (
        <ul className="mt-2 max-h-48 overflow-y-auto" aria-label={text.savedDrafts}>
          {drafts.data.map((draft) => (
            <Row key={draft.uuid} draft={draft} applied={applied} />
          ))}
        </ul>
      )}
    </>
  )
}

function useRefresh(): () => void {
  const { project } = useProject()
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ queryKey: draftsQuery(project.uuid).queryKey })
}

function SaveDraft({ number }: { number: number }) {
  const saveState = useSaveState()
  const { loaded } = useEdits()
  const { project } = useProject()
  const { history } = useHistory()
  const [name, setName] = useState('')
  const refresh = useRefresh()
  const save = useMutation({
    mutationFn: () =>
      saveDraft(
        project.uuid,
        name.trim() || text.defaultDraftName(number),
        overridesOf([...saveState.edits, ...saveState.placements], history.serverID),
      ),
    onSuccess: (draft) => {
      setName('')
      toast.success(text.draftSaved(draft.name))
    },
    onSettled: refresh,
    onError: (error) => toast.error(text.draftSaveFailed, { description: messageOf(error) }),
  })

  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <input
        aria-label={text.draftName}
        placeholder={text.defaultDraftName(number)}
        value={name}
        maxLength={200}
        onChange={(e) => setName(e.target.value)}
        className={`${inputClass} h-8 min-w-0 flex-1`}
      />
      {/* A draft refers to edits by their server UUIDs, which unsaved edits do not have. */}
      <Button type="submit" variant="primary" disabled={save.isPending || saveState.pending > 0 || !loaded}>
        <Plus size={14} aria-hidden /> {text.saveDraft}
      </Button>
    </form>
  )
}

function Row({ draft, applied }: { draft: DraftSummary; applied: () => void }) {
  const { project } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  const [renaming, setRenaming] = useState(false)
  const refresh = useRefresh()
  const rename = useMutation({
    mutationFn: (name: string) => changeDraft(draft.uuid, { name }),
    onSettled: refresh,
    onError: (error) => toast.error(text.draftRenameFailed, { description: messageOf(error) }),
  })

  const remove = useMutation({
    mutationFn: () => deleteDraft(draft.uuid),
    onSettled: refresh,
    onError: (error) => toast.error(text.draftDeleteFailed, { description: messageOf(error) }),
  })

  const apply = useMutation({
    mutationFn: () => history.request(text.applyLabel(draft.name), (name) => applyDraft(draft.uuid, name)),
    onSuccess: (result) => {
      if (!result) return // the history tells why
      refetch(queryClient, project.uuid, shortsQuery)
      const { switched_off, missing } = result
      const notes = [
        switched_off > 0 ? text.draftNewer(switched_off) : '',
        missing > 0 ? text.draftMissing(missing) : '',
      ]

      toast.success(text.draftApplied(draft.name), {
        description: notes.filter(Boolean).join(' ') || text.draftUndo,
      })

      applied()
    },
  })

  if (renaming) {
    const done = (input: HTMLInputElement) => {
      const name = input.value.trim()
      if (name && name !== draft.name) rename.mutate(name)
      setRenaming(false)
    }

    return (
      <li className="py-1">
        <input
          autoFocus
          aria-label={text.newDraftName(draft.name)}
          defaultValue={draft.name}
          maxLength={200}
          onBlur={(e) => done(e.currentTarget)}
          onKeyDown={(e) => {
            if (e.key === 'Enter') done(e.currentTarget)
            if (e.key === 'Escape') {
              e.stopPropagation()
              setRenaming(false)
            }
          }}
          className={`${inputClass} h-8`}
        />
      </li>
    )
  }

  return (
    <li className="flex items-center gap-1 rounded-md py-1" data-draft={draft.uuid}>
      <span className="min-w-0 flex-1 px-1">
        <span dir="auto" className="block truncate text-left text-sm font-medium">
          {draft.name}
        </span>
        <span className="block text-xs text-faint">{relativeTime(draft.created_at)}</span>
      </span>
      <Button size="sm" disabled={apply.isPending} onClick={() => apply.mutate()}>
        <Check size={14} aria-hidden /> {text.applyDraft}
      </Button>
      <IconButton label={text.renameDraft(draft.name)} className="size-7" onClick={() => setRenaming(true)}>
        <Pencil size={14} />
      </IconButton>
      <IconButton
        label={text.deleteDraft(draft.name)}
        className="size-7"
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      >
        <Trash2 size={14} />
      </IconButton>
    </li>
  )
}
