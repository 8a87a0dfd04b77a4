import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Link, Pencil, Plus, Trash2 } from 'lucide-react'
import { useRef, useState, type DragEvent, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { deleteClip, type Clip } from '../../api/clips'
import { chooseFiles, inWindow } from '../../api/desktop'
import { RECORDINGS } from '../../api/filetypes'
import { queryKeys } from '../../api/keys'
import { clipsText as text } from '../../text/editor/clips'
import { bytes } from '../../text/format'
import { Button, IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { Progress } from '../../ui/Progress'
import { ContextArea, MenuItem, MenuLine } from '../commands/ContextArea'
import { useLayout, usePlayer, useProject } from '../state/contexts'
import { useEditorStore, useLive } from '../state/store'
import { timecode } from '../timeline/timecode'
import { ClipThumbnail } from './ClipThumbnail'
import { LinkedFileLine, RelinkDialog } from './LinkedFile'
import { addLinkedFiles } from './linkedFiles'
import { UploadRow } from './UploadRow'
import { useClipChanges } from './useClipChanges'
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

/** The type of dragged data that holds the UUID of a clip. */
const CLIP_DRAG = 'application/x-roughcut-clip'

function ClipRow({ clip, number }: { clip: Clip; number: number }) {
  const { clips } = useProject()
  const { move, rename } = useClipChanges()
  const [naming, setNaming] = useState(false)
  const index = clips.findIndex((c) => c.uuid === clip.uuid)
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
    if (by === undefined && event.key !== 'F2') return
    event.preventDefault()
    event.stopPropagation()
    if (by === undefined) setNaming(true)
    else move(clip, index + by)
  }
  const { over, ...drag } = useClipDrag(clip, index)
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
    <li
      data-clip={clip.uuid}
      data-reference={clip.reference?.state}
      draggable={!naming}
      onKeyDown={onKeyDown}
      {...drag}
    >
      <ContextArea
        label={text.menu}
        choose={() => true}
        items={<ClipItems clip={clip} index={index} rename={() => setNaming(true)} remove={() => remove.mutate()} />}
      >
        <div
          className={`group flex items-center gap-3 rounded-md p-2 hover:bg-hover ${over ? 'ring-2 ring-accent' : ''}`}
          title={clips.length > 1 ? text.moveHint : undefined}
        >
          <ClipThumbnail clip={clip} />
          <div className="min-w-0 flex-1">
            {naming && (
              <NameField
                clip={clip}
                done={(name) => {
                  setNaming(false)
                  if (name !== null) rename(clip, name)
                }}
              />
            )}
            <button
              type="button"
              className="w-full min-w-0 text-left"
              hidden={naming}
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
        </div>
      </ContextArea>
    </li>
  )
}

// useClipDrag reorders the clips by dragging one onto the place of another; over says that one is above the row.
function useClipDrag(clip: Clip, index: number) {
  const { clips } = useProject()
  const { move } = useClipChanges()
  const [over, setOver] = useState(false)
  return {
    over,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(CLIP_DRAG, clip.uuid)
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(CLIP_DRAG)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false)
      const dragged = clips.find((c) => c.uuid === event.dataTransfer.getData(CLIP_DRAG))
      if (!dragged) return
      event.preventDefault()
      move(dragged, index)
    },
  }
}

interface ClipItemsProps {
  clip: Clip
  /** The position of the clip among all, from 0. */
  index: number
  rename: () => void
  remove: () => void
}

// ClipItems are the items of the context menu of a clip.
function ClipItems({ clip, index, rename, remove }: ClipItemsProps) {
  const { clips } = useProject()
  const { move } = useClipChanges()
  return (
    <>
      <MenuItem icon={Pencil} label={text.rename} keys="F2" onSelect={rename} />
      <MenuItem
        icon={ArrowUp}
        label={text.moveUp}
        keys="Alt ↑"
        disabled={index === 0}
        onSelect={() => move(clip, index - 1)}
      />
      <MenuItem
        icon={ArrowDown}
        label={text.moveDown}
        keys="Alt ↓"
        disabled={index === clips.length - 1}
        onSelect={() => move(clip, index + 1)}
      />
      <MenuLine />
      <MenuItem icon={Trash2} label={text.removeItem} onSelect={remove} />
    </>
  )
}

// NameField takes a new name for a clip; done gets null for Escape.
function NameField({ clip, done }: { clip: Clip; done: (name: string | null) => void }) {
  const ended = useRef(false)
  const end = (name: string | null) => {
    if (!ended.current) done(name)
    ended.current = true
  }
  return (
    <input
      ref={(field) => field?.focus()}
      dir="auto"
      aria-label={text.newName(clip.name)}
      defaultValue={clip.name}
      maxLength={200}
      autoComplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onContextMenu={(event) => event.stopPropagation()}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end(event.currentTarget.value)
        else if (event.key === 'Escape') end(null)
      }}
      className={`${inputClass} h-8`}
    />
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
