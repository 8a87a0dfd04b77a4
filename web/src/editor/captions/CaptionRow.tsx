import { Combine, RotateCcw, SquareSplitHorizontal, Trash2 } from 'lucide-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { twMerge } from 'tailwind-merge'
import type { CaptionLine } from '../../api/captions'
import { captionsText as text } from '../../text/editor/captions'
import { Badge } from '../../ui/Badge'
import { IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { useFieldText } from '../../ui/useFieldText'
import { goToCaption } from '../commands/captionActions'
import { useCommand } from '../commands/useCommand'
import type { CommandName } from '../commands/commands'
import { useCaptionLines, useEditorAccess } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { parseTimecode, timecode } from '../plan/timecode'
import { CaptionSpeaker } from './CaptionSpeaker'
import { MIN_LINE_MS } from '../edits/captionEdits'
import type { RemovedPart } from '../edits/removedParts'

/** A caption line. The selected one also shows its times and actions. */
export function CaptionRow({ line, removed }: { line: CaptionLine; removed: RemovedPart }) {
  const { store } = useEditorAccess()
  const { change } = useCaptionLines()
  const selected = useEditorStore((s) => s.caption === line.uuid)
  const { field, typed, reset } = useFieldText<HTMLTextAreaElement>(line.text)
  const go = () => {
    const model = store.getState()
    if (model) goToCaption(line.start_ms, model)
  }

  const select = () => useEditorStore.getState().set({ caption: line.uuid })
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter') event.currentTarget.blur()
    else if (event.key === 'Escape') {
      reset()
      event.currentTarget.blur()
    } else return
    event.preventDefault()
  }

  return (
    <div
      data-caption-line={line.uuid}
      data-selected={selected || undefined}
      className="group border-l-2 border-transparent px-3 py-1.5 data-selected:border-accent data-selected:bg-raised"
    >
      <div className="flex gap-2">
        <button
          type="button"
          className="mt-1.5 self-start pointer-coarse:-mt-0.5 text-xs text-faint tabular-nums hover:text-accent"
          aria-label={text.goTo(timecode(line.start_ms))}
          onClick={() => {
            select()
            go()
          }}
        >
          {timecode(line.start_ms)}
        </button>
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={text.line(timecode(line.start_ms))}
          defaultValue={line.text}
          maxLength={500}
          onFocus={() => {
            select()
            go()
          }}
          onKeyDown={keys}
          onBlur={() => {
            const text = typed()?.trim()
            if (text && text !== line.text) change(line, { text })
            else reset()
          }}
          className={`field-sizing-content min-w-0 flex-1 resize-none rounded-md border border-transparent bg-transparent px-2 py-1 text-sm transition-colors hover:border-line focus:border-accent focus:bg-raised focus:outline-none ${removed === 'all' ? 'removed-text' : ''}`}
        />
        {removed !== 'none' && (
          <span className="mt-1.5 shrink-0 self-start" title={text.removedHint[removed]}>
            <Badge>{text.removed[removed]}</Badge>
          </span>
        )}
        {line.text !== line.original_text && (
          <IconButton
            label={text.revert(line.original_text)}
            onClick={() => change(line, { text: line.original_text })}
          >
            <RotateCcw size={14} />
          </IconButton>
        )}
      </div>
      {selected && <Details line={line} />}
    </div>
  )
}

// Details are the times of a line and what can be done with it. A press keeps the cursor in the text.
function Details({ line }: { line: CaptionLine }) {
  const { change } = useCaptionLines()
  return (
    <div className="mt-1 flex flex-wrap items-center gap-1 text-xs" role="group" aria-label={text.actions}>
      <TimeField
        label={text.start(line.text)}
        ms={line.start_ms}
        onChange={(ms) => ms <= line.end_ms - MIN_LINE_MS && change(line, { start_ms: ms })}
      />
      <span className="text-faint">{text.to}</span>
      <TimeField
        label={text.end(line.text)}
        ms={line.end_ms}
        onChange={(ms) => ms >= line.start_ms + MIN_LINE_MS && change(line, { end_ms: ms })}
      />
      <CaptionSpeaker line={line} />
      <div className="ml-auto flex" onPointerDown={(event) => event.preventDefault()}>
        <Action name="captionSplit" icon={<SquareSplitHorizontal size={14} />} />
        <Action name="captionMerge" icon={<Combine size={14} />} />
        <Action name="captionDelete" icon={<Trash2 size={14} />} />
      </div>
    </div>
  )
}

function Action({ name, icon }: { name: CommandName; icon: ReactNode }) {
  const { label, keys, enabled, run } = useCommand(name)
  return (
    <IconButton label={label} keys={keys} disabled={!enabled} className="size-7" onClick={run}>
      {icon}
    </IconButton>
  )
}

interface TimeFieldProps {
  label: string
  ms: number
  onChange: (ms: number) => void
}

// TimeField is a time as text. The arrow keys up and down move it by a tenth of a second.
function TimeField({ label, ms, onChange }: TimeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const commit = () => {
    const read = typed === null ? null : parseTimecode(typed)
    setTyped(null)
    if (read !== null && typed !== timecode(ms)) onChange(read)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = event.key === 'ArrowUp' ? 100 : event.key === 'ArrowDown' ? -100 : 0
    if (step !== 0) onChange(Math.max((typed === null ? null : parseTimecode(typed)) ?? ms, -step) + step)
    else if (event.key === 'Enter') commit()
    else if (event.key !== 'Escape') return
    setTyped(null)
    event.preventDefault()
  }

  return (
    <input
      aria-label={label}
      value={typed ?? timecode(ms)}
      inputMode="decimal"
      autoComplete="off"
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={commit}
      className={twMerge(inputClass, 'h-7 w-20 px-1.5 text-center tabular-nums')}
    />
  )
}
