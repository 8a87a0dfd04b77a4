import { ArrowDown, ArrowUp, Copy, FileText, FileX, Link, Pencil, Trash2, X } from 'lucide-react'
import { useRef, useState, type DragEvent, type KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import type { Clip } from '../../api/clips'
import { clipsText as text } from '../../text/editor/clips'
import { Button, IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { keyLabel } from '../commands/keymap'
import { ContextArea, MenuItem, MenuLine } from '../commands/ContextArea'
import { useLayout, usePlayer, useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { Trash } from '../trash/Trash'
import { ChooseRecordings } from './ChooseRecordings'
import { ClipState } from './ClipState'
import { ClipThumbnail } from './ClipThumbnail'
import { LinkedFileLine, RelinkDialog } from './LinkedFile'
import { ThumbnailsLine } from './ThumbnailsLine'
import { TracksLine } from './TracksLine'
import { UploadRow } from './UploadRow'
import { useAddRecordings } from './useAddRecordings'
import { useChosenClips, type ChosenClips } from './useChosenClips'
import { useClipChanges } from './useClipChanges'
import { useTranscriptFile, type TranscriptFile } from './useTranscriptFile'
import { useProjectUploads, useUploads } from '../state/uploads'

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
  const add = useAddRecordings()
  const clearFailed = useUploads((s) => s.clearFailed)
  const failed = uploads.filter((u) => u.status === 'failed').length
  // A clip that is uploading here appears as its upload. Others show that their file is missing.
  const uploading = uploads.some((u) => u.status !== 'failed')
  const started = uploads.map((u) => u.started?.uuid)
  const shown = clips.filter((c) => c.status !== 'pending_upload' || !(uploading || started.includes(c.uuid)))
  const several = useChosenClips()
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ul className="min-h-0 flex-1 overflow-y-auto p-2" aria-label={text.list}>
        {shown.map((clip, i) => (
          <ClipRow key={clip.uuid} clip={clip} number={i + 1} several={several} />
        ))}
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {shown.length + uploads.length === 0 && <li className="p-2 text-sm text-muted">{text.empty}</li>}
      </ul>
      <BulkBar several={several} />
      <Trash project={project.uuid} />
      <div className="flex items-center gap-2 border-t border-line p-3">
        <ChooseRecordings label={text.add} size="sm" {...add} />
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

// BulkBar has the actions on clips that are chosen together; nothing below two clips.
function BulkBar({ several }: { several: ChosenClips }) {
  const { clips } = useProject()
  const { move, remove } = useClipChanges()
  const { chosen, clear } = several
  if (chosen.length === 0) return null
  const places = chosen.map((uuid) => clips.findIndex((c) => c.uuid === uuid))
  const [first, last] = [Math.min(...places), Math.max(...places)]
  return (
    <div role="toolbar" aria-label={text.bulk} className="flex items-center gap-1 border-t border-line px-3 py-1.5">
      <span className="min-w-0 flex-1 truncate text-xs text-muted" role="status">
        {text.chosen(chosen.length)}
      </span>
      <IconButton label={text.moveUpChosen} disabled={first === 0} onClick={() => move(chosen, first - 1)}>
        <ArrowUp size={14} />
      </IconButton>
      <IconButton
        label={text.moveDownChosen}
        disabled={last === clips.length - 1}
        onClick={() => move(chosen, last + 1)}
      >
        <ArrowDown size={14} />
      </IconButton>
      <Button
        size="sm"
        onClick={() => {
          remove(chosen)
          clear()
        }}
      >
        <Trash2 size={14} aria-hidden /> {text.removeChosen}
      </Button>
      <IconButton label={text.chooseNone} onClick={clear}>
        <X size={14} />
      </IconButton>
    </div>
  )
}

const isRemoval = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  (key === 'Delete' || key === 'Backspace') && !ctrlKey && !metaKey && !altKey

// nothingSelected reports whether the Delete key means the focused clip, and not a cut, a placed asset or footage.
function nothingSelected(): boolean {
  const { selected, selection } = useEditorStore.getState()
  return selected === null && selection === null
}

function ClipRow({ clip, number, several }: { clip: Clip; number: number; several: ChosenClips }) {
  const { clips } = useProject()
  const { rename, remove } = useClipChanges()
  const [naming, setNaming] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const together = several.with(clip.uuid)
  const onKeyDown = useClipKeys(clip, several, () => setNaming(true))
  const index = clips.findIndex((c) => c.uuid === clip.uuid)
  const { over, ...drag } = useClipDrag(index, together)
  const player = usePlayer()
  const { layout, ready } = useLayout()
  const transcript = useTranscriptFile(clip)
  const start = layout[ready.findIndex((c) => c.uuid === clip.uuid)]?.startMs
  return (
    <li
      data-clip={clip.uuid}
      data-reference={clip.reference?.state}
      data-chosen={several.chosen.includes(clip.uuid)}
      draggable={!naming}
      onKeyDown={onKeyDown}
      {...drag}
    >
      <ContextArea
        label={text.menu}
        choose={() => true}
        items={
          <ClipItems
            clip={clip}
            index={index}
            transcript={transcript}
            rename={() => setNaming(true)}
            remove={() => remove([clip.uuid])}
          />
        }
      >
        <div
          className={`group flex items-center gap-3 rounded-md p-2 ${over ? 'ring-2 ring-accent' : ''} ${several.chosen.includes(clip.uuid) ? 'bg-accent-soft' : 'hover:bg-hover'}`}
          title={clips.length > 1 ? text.moveHint : undefined}
        >
          <ClipThumbnail clip={clip} />
          <div className="min-w-0 flex-1">
            {naming && (
              <NameField
                clip={clip}
                done={(name, byKey) => {
                  if (byKey) flushSync(() => setNaming(false))
                  else setNaming(false)
                  if (byKey) button.current?.focus()
                  if (name !== null) rename(clip, name)
                }}
              />
            )}
            <button
              ref={button}
              type="button"
              className="w-full min-w-0 text-left"
              hidden={naming}
              aria-pressed={several.chosen.length > 0 ? several.chosen.includes(clip.uuid) : undefined}
              onClick={(event) => {
                if (several.onClick(event, clip.uuid)) return
                useEditorStore.getState().select(null)
                if (start !== undefined) player?.seek(start)
              }}
            >
              <span className="block truncate text-sm font-medium">
                {text.title(number)} <bdi>{clip.name}</bdi>
              </span>
              <ClipState clip={clip} />
            </button>
            <ClipProblems clip={clip} />
          </div>
          <IconButton
            label={text.remove(clip.name)}
            className={
              clip.status === 'failed' || clip.status === 'pending_upload'
                ? ''
                : 'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100'
            }
            onClick={() => remove([clip.uuid])}
          >
            <Trash2 size={14} />
          </IconButton>
          {transcript.field}
        </div>
      </ContextArea>
    </li>
  )
}

// useClipKeys returns the handler of the keys on the row of a clip; rename opens the field for its name.
function useClipKeys(clip: Clip, several: ChosenClips, rename: () => void) {
  const { clips } = useProject()
  const { move, remove, duplicate } = useClipChanges()
  const together = several.with(clip.uuid)
  const places = together.map((uuid) => clips.findIndex((c) => c.uuid === uuid))
  return (event: KeyboardEvent) => {
    // React also passes the keys of the menu and the dialog of the row.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return
    const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined
    if (by !== undefined) move(together, by < 0 ? Math.min(...places) - 1 : Math.max(...places) + 1)
    else if (event.key === 'F2') rename()
    else if (event.key === 'd' && (event.ctrlKey || event.metaKey) && clip.status === 'ready') duplicate(clip)
    else if (isRemoval(event) && (together.length > 1 || nothingSelected())) {
      remove(together)
      several.clear()
    } else if (!several.onKeyDown(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
}

// ClipProblems shows the linked file of a clip, why its thumbnails are missing, and its audio tracks, each with a way to fix it.
function ClipProblems({ clip }: { clip: Clip }) {
  const [locating, setLocating] = useState(false)
  const locate = () => {
    useEditorStore.getState().set({ leftTab: 'clips' }) // stay here when the recording is found
    setLocating(true)
  }

  return (
    <>
      {clip.status !== 'failed' && <LinkedFileLine clip={clip} onLocate={locate} />}
      <ThumbnailsLine clip={clip} />
      <TracksLine clip={clip} />
      <RelinkDialog clip={clip} open={locating} onOpenChange={setLocating} />
    </>
  )
}

// useClipDrag reorders the clips by dragging one, and those that move together with it, onto the place of another; over says
// that one is above the row.
function useClipDrag(index: number, together: readonly string[]) {
  const { move } = useClipChanges()
  const [over, setOver] = useState(false)
  return {
    over,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.setData(CLIP_DRAG, JSON.stringify(together))
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
      const data = event.dataTransfer.getData(CLIP_DRAG)
      if (!data) return
      event.preventDefault()
      move(JSON.parse(data) as string[], index)
    },
  }
}

interface ClipItemsProps {
  clip: Clip
  /** The position of the clip among all, from 0. */
  index: number
  transcript: TranscriptFile
  rename: () => void
  remove: () => void
}

// ClipItems are the items of the context menu of a clip.
function ClipItems({ clip, index, transcript, rename, remove }: ClipItemsProps) {
  const { clips } = useProject()
  const { move, duplicate } = useClipChanges()
  return (
    <>
      <MenuItem icon={Pencil} label={text.rename} keys="F2" onSelect={rename} />
      <MenuItem
        icon={ArrowUp}
        label={text.moveUp}
        keys="Alt ↑"
        disabled={index === 0}
        onSelect={() => move([clip.uuid], index - 1)}
      />
      <MenuItem
        icon={ArrowDown}
        label={text.moveDown}
        keys="Alt ↓"
        disabled={index === clips.length - 1}
        onSelect={() => move([clip.uuid], index + 1)}
      />
      <MenuItem
        icon={Copy}
        label={text.duplicate}
        keys="Ctrl D"
        disabled={clip.status !== 'ready'}
        onSelect={() => duplicate(clip)}
      />
      <MenuLine />
      <MenuItem
        icon={FileText}
        label={text.importTranscript}
        disabled={clip.status !== 'ready'}
        onSelect={transcript.choose}
      />
      {clip.imported_transcript && <MenuItem icon={FileX} label={text.removeTranscript} onSelect={transcript.remove} />}
      <MenuLine />
      <MenuItem icon={Trash2} label={text.removeItem} keys={keyLabel('Delete')} onSelect={remove} />
    </>
  )
}

// NameField takes a new name for a clip; done gets null for Escape, and whether a key ended it.
function NameField({ clip, done }: { clip: Clip; done: (name: string | null, byKey: boolean) => void }) {
  const ended = useRef(false)
  const end = (name: string | null, byKey = true) => {
    if (ended.current) return
    ended.current = true
    done(name, byKey)
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
      onBlur={(event) => end(event.currentTarget.value, false)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end(event.currentTarget.value)
        else if (event.key === 'Escape') end(null)
      }}
      className={`${inputClass} h-8`}
    />
  )
}
