import { ChevronDown, ChevronUp, Replace, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { transcriptText as text } from '../../text/editor/transcript'
import { IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { usePlayer, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** Searches the transcript and steps through the matches. */
export function FindBar({
  hits,
  reveal,
}: {
  hits: readonly { from: number; to: number }[]
  reveal: (word: number) => void
}) {
  const words = useWords()
  const player = usePlayer()
  const find = useEditorStore((s) => s.find) ?? ''
  const caret = useEditorStore((s) => s.caret)
  const replacing = useEditorStore((s) => s.replacing)
  const { set, mark } = useEditorStore.getState()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])

  const at = hits.findIndex((h) => h.from === caret?.anchor)
  const go = (to: number) => {
    const hit = hits[(to + hits.length) % hits.length]
    if (!hit) return
    mark(
      { startMs: words[hit.from]!.start_ms, endMs: words[hit.to - 1]!.end_ms },
      { anchor: hit.from, focus: hit.to - 1 },
    )
    player?.pause()
    player?.seek(words[hit.from]!.start_ms)
    reveal(hit.from)
  }
  const step = (direction: 1 | -1) => {
    if (at >= 0) return go(at + direction)
    const ms = player?.position() ?? 0
    const next = hits.findIndex((h) => words[h.from]!.start_ms >= ms)
    go(direction === 1 ? (next < 0 ? 0 : next) : next < 0 ? hits.length - 1 : next - 1)
  }
  const close = () => {
    set({ find: null, replacing: false })
    document.querySelector<HTMLElement>('[data-transcript]')?.focus()
  }
  return (
    <div className="flex items-center gap-1 border-b border-line p-2" role="search">
      <input
        id="find"
        ref={input}
        aria-label={text.find}
        placeholder={text.find}
        value={find}
        maxLength={200}
        onChange={(e) => set({ find: e.target.value })}
        onKeyDown={(e) => {
          if (e.key === 'Enter') step(e.shiftKey ? -1 : 1)
          else if (e.key === 'Escape') close()
          else return
          e.preventDefault()
        }}
        className={`${inputClass} h-8 min-w-0 flex-1`}
      />
      <span className="w-16 shrink-0 text-center text-xs text-muted" role="status">
        {find.trim() === ''
          ? ''
          : hits.length === 0
            ? text.notFound
            : at >= 0
              ? text.position(at + 1, hits.length)
              : text.matches(hits.length)}
      </span>
      <IconButton
        label={text.previous}
        keys="Shift Enter"
        disabled={hits.length === 0}
        onClick={() => step(-1)}
        className="!size-7"
      >
        <ChevronUp size={16} />
      </IconButton>
      <IconButton
        label={text.next}
        keys="Enter"
        disabled={hits.length === 0}
        onClick={() => step(1)}
        className="!size-7"
      >
        <ChevronDown size={16} />
      </IconButton>
      <IconButton
        label={text.showReplace}
        keys="Ctrl H"
        aria-expanded={replacing}
        onClick={() => set({ replacing: !replacing })}
        className={`!size-7 ${replacing ? 'bg-hover' : ''}`}
      >
        <Replace size={16} />
      </IconButton>
      <IconButton label={text.close} keys="Esc" onClick={close} className="!size-7">
        <X size={16} />
      </IconButton>
    </div>
  )
}
