import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, Film, Link, Plus, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { deleteClip, type Clip } from '../../api/clips'
import { chooseFiles, inWindow } from '../../api/desktop'
import { RECORDINGS } from '../../api/filetypes'
import { queryKeys } from '../../api/keys'
import { clipsText as text } from '../../text/editor/clips'
import { bytes } from '../../text/format'
import { Button, IconButton } from '../../ui/Button'
import { Progress } from '../../ui/Progress'
import { useLayout, usePlayer, useProject } from '../state/contexts'
import { useEditorStore, useLive } from '../state/store'
import { timecode } from '../timeline/timecode'
import { LinkedFileLine, RelinkDialog } from './LinkedFile'
import { addLinkedFiles } from './linkedFiles'
import { UploadRow } from './UploadRow'
import { useProjectUploads, useUploads } from './uploads'

/** A button that lets the person choose recordings. */
export function AddClips(props: AddClipsProps) {
  return inWindow() ? <ChooseClips {...props} /> : <UploadClips {...props} />
}

interface AddClipsProps {
  project: string
  variant?: 'primary' | 'plain'
  size?: 'sm' | 'md' | 'lg'
  label?: string
}

/** In the desktop window, recordings become linked files. */
function ChooseClips({ project, variant = 'plain', size = 'md', label = text.add }: AddClipsProps) {
  const choose = useMutation({
    mutationFn: async () => addLinkedFiles(project, await chooseFiles()),
    onError: (error) => toast.error(text.addFailed, { description: messageOf(error) }),
  })
  return (
    <Button variant={variant} size={size} disabled={choose.isPending} onClick={() => choose.mutate()}>
      <Plus size={16} aria-hidden /> {label}
    </Button>
  )
}

function UploadClips({ project, variant = 'plain', size = 'md', label = text.add }: AddClipsProps) {
  const input = useRef<HTMLInputElement>(null)
  const add = useUploads((s) => s.add)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={RECORDINGS}
        className="sr-only"
        tabIndex={-1}
        aria-label={text.filesToAdd}
        onChange={(e) => {
          add(project, [...(e.target.files ?? [])])
          e.target.value = ''
        }}
      />
      <Button variant={variant} size={size} onClick={() => input.current?.click()}>
        <Plus size={16} aria-hidden /> {label}
      </Button>
    </>
  )
}

/** A button that opens the import dialog. */
export function AddLink({ size }: { size?: 'sm' | 'md' | 'lg' }) {
  const set = useEditorStore((s) => s.set)
  return (
    <Button size={size} onClick={() => set({ importing: '' })}>
      <Link size={16} aria-hidden /> {text.addLink}
    </Button>
  )
}

/** The clips of the project in order, and their uploads. */
export function ClipsPane() {
  const { project, clips } = useProject()
  const uploads = useProjectUploads(project.uuid)
  const clearFailed = useUploads((s) => s.clearFailed)
  const failed = uploads.filter((u) => u.status === 'failed').length
  // A clip that is still uploading appears as its upload.
  const shown = clips.filter((c) => c.status !== 'pending_upload')
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ul className="min-h-0 flex-1 overflow-y-auto p-2" aria-label={text.list}>
        {shown.map((clip, i) => (
          <ClipRow key={clip.uuid} clip={clip} number={i + 1} />
        ))}
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {shown.length + uploads.length === 0 && <li className="p-2 text-sm text-muted">{text.empty}</li>}
      </ul>
      <div className="flex items-center gap-2 border-t border-line p-3">
        <AddClips project={project.uuid} size="sm" />
        <AddLink size="sm" />
        {failed > 1 && (
          <Button size="sm" variant="quiet" onClick={() => clearFailed(project.uuid)}>
            {text.clearErrors(failed)}
          </Button>
        )}
      </div>
    </div>
  )
}

function ClipRow({ clip, number }: { clip: Clip; number: number }) {
  const player = usePlayer()
  const { project } = useProject()
  const { layout, ready } = useLayout()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteClip(clip.uuid),
    onSuccess: () => {
      for (const queryKey of [
        queryKeys.clips(project.uuid),
        queryKeys.project(project.uuid),
        queryKeys.edits(project.uuid),
        queryKeys.cost(project.uuid),
      ])
        void queryClient.invalidateQueries({ queryKey })
    },
    onError: (error) => toast.error(text.removeFailed, { description: messageOf(error) }),
  })
  const [locating, setLocating] = useState(false)
  const locate = () => {
    useEditorStore.getState().set({ leftTab: 'clips' }) // stay here when the recording is found
    setLocating(true)
  }
  const start = layout[ready.findIndex((c) => c.uuid === clip.uuid)]?.startMs
  return (
    <li className="group flex items-center gap-3 rounded-md p-2 hover:bg-hover" data-reference={clip.reference?.state}>
      <span className="inline-flex size-8 shrink-0 items-center justify-center rounded-md bg-raised text-muted">
        {clip.status === 'failed' ? <CircleAlert size={16} className="text-danger" /> : <Film size={16} />}
      </span>
      <div className="min-w-0 flex-1">
        <button
          type="button"
          className="w-full min-w-0 text-left"
          disabled={start === undefined}
          onClick={() => start !== undefined && player?.seek(start)}
        >
          <span className="block truncate text-sm font-medium">
            {text.title(number)} <bdi>{clip.name}</bdi>
          </span>
          <ClipState clip={clip} />
        </button>
        {clip.status !== 'failed' && <LinkedFileLine clip={clip} onLocate={locate} />}
        <RelinkDialog clip={clip} open={locating} onOpenChange={setLocating} />
      </div>
      <IconButton
        label={text.remove(clip.name)}
        className={
          clip.status === 'failed'
            ? ''
            : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100'
        }
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      >
        <Trash2 size={14} />
      </IconButton>
    </li>
  )
}

function ClipState({ clip }: { clip: Clip }) {
  const live = useLive((s) => s.clips[clip.uuid])
  if (clip.status === 'failed')
    return <span className="block text-xs text-danger first-letter:uppercase">{clip.error ?? text.unreadable}</span>
  if (clip.status === 'processing') {
    const downloading = live?.step === 'download'
    return (
      <span className="mt-1 block">
        <span className="mb-1 block text-xs text-accent">{downloading ? text.downloading : text.processing}</span>
        <Progress
          value={live?.progress || null}
          label={downloading ? text.downloadingLabel(clip.name) : text.processingLabel(clip.name)}
        />
      </span>
    )
  }
  const size = clip.width && clip.height ? `${clip.width}×${clip.height}` : text.audioOnly
  const rate = clip.frame_rate ? `, ${text.frameRate(clip.frame_rate)}` : ''
  return (
    <span className="block text-xs text-faint">
      {timecode(clip.duration_ms ?? 0)} · {size}
      {rate} · <span className="whitespace-nowrap">{bytes(clip.size_bytes)}</span>
      {clip.has_audio === false && <span className="whitespace-nowrap text-danger"> · {text.noAudio}</span>}
    </span>
  )
}
