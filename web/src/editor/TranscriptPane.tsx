import { useVirtualizer } from '@tanstack/react-virtual'
import { Fragment, memo, useMemo, useRef } from 'react'
import { activeSpans } from './cuts'
import { formatTime } from './format'
import { ModelOffer } from './ModelOffer'
import { useModel } from './model'
import { usePosition } from './PlayerPane'
import { useEditorStore } from './store'
import { cutWords, paragraphs, wordAt, type Paragraph } from './words'

/** What was said; clicking a word goes there, marking words marks their footage. */
export function TranscriptPane() {
  const { words, run, project } = useModel()
  if (words.length > 0) return <Words />
  if (run?.status === 'completed') return <NoWords model={run.model} />
  return (
    <div className="p-4 text-sm text-muted">
      {project.status === 'analyzing' ? (
        <div className="space-y-3" role="status" aria-label="Writing down every word">
          {[92, 100, 84, 96, 60, 0, 98, 88, 72].map((w, i) => (
            <div key={i} className={w ? 'skeleton h-3' : 'h-2'} style={{ width: `${w}%` }} />
          ))}
        </div>
      ) : (
        <p>Once cuts are found, everything that is said appears here, word by word. Clicking a word goes to it; marking words and pressing Delete cuts them.</p>
      )}
    </div>
  )
}

function NoWords({ model }: { model: string | null }) {
  if (model !== null) return <p className="p-4 text-sm text-muted">No speech was heard in this recording, so there are no words to show.</p>
  return (
    <div className="p-4">
      <ModelOffer />
      <p className="mt-3 text-sm text-muted">This recording was listened to without a speech model, so nothing was written down. Find the cuts again once there is one.</p>
    </div>
  )
}

function Words() {
  const { words, edits, player } = useModel()
  const mark = useEditorStore((s) => s.mark)
  const scroller = useRef<HTMLDivElement>(null)
  const parts = useMemo(() => paragraphs(words), [words])
  const gone = useMemo(() => cutWords(words, activeSpans(edits)), [words, edits])
  // eslint-disable-next-line react-hooks/incompatible-library -- paragraphs keep no state
  const rows = useVirtualizer({ count: parts.length, getScrollElement: () => scroller.current, estimateSize: (i) => 40 + Math.ceil((parts[i]!.to - parts[i]!.from) / 7) * 24, overscan: 4 })
  useCurrentWord(scroller, parts, rows.scrollToIndex)

  // A mark over several words is their footage; a click on one goes to it.
  const onMouseUp = () => {
    const selection = window.getSelection()
    if (!selection || selection.isCollapsed || !scroller.current?.contains(selection.anchorNode)) return
    const [a, b] = [indexOf(selection.anchorNode), indexOf(selection.focusNode)]
    if (a === null || b === null || a === b) return
    const [first, last] = [words[Math.min(a, b)], words[Math.max(a, b)]]
    if (first && last) mark({ startMs: first.start_ms, endMs: last.end_ms })
  }
  const onClick = (event: React.MouseEvent) => {
    const index = indexOf(event.target as Node)
    const word = index === null ? undefined : words[index]
    if (!word || !window.getSelection()?.isCollapsed) return
    mark(null)
    player?.seek(word.start_ms)
  }
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" onMouseUp={onMouseUp} onClick={onClick}>
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <div key={row.key} data-index={row.index} ref={rows.measureElement} className="absolute inset-x-0 px-4 pt-3" style={{ transform: `translateY(${row.start}px)` }}>
            <Text part={parts[row.index]!} texts={words} gone={gone} />
          </div>
        ))}
      </div>
    </div>
  )
}

const Text = memo(function Text({ part, texts, gone }: { part: Paragraph; texts: readonly { text: string }[]; gone: readonly boolean[] }) {
  return (
    <>
      <p className="text-xs text-faint select-none">{formatTime(part.startMs)}</p>
      <p className="text-base">
        {texts.slice(part.from, part.to).map((word, i) => {
          const index = part.from + i
          return (
            <Fragment key={index}>
              <span data-word={index} className={`rounded-sm hover:bg-hover ${gone[index] ? 'text-faint line-through decoration-(--manual)/70' : ''}`}>
                {word.text.trim()}
              </span>{' '}
            </Fragment>
          )
        })}
      </p>
    </>
  )
})

const LIT = ['bg-accent', 'text-accent-ink']

// useCurrentWord lights the word that is spoken and keeps its paragraph in view while playing.
function useCurrentWord(scroller: React.RefObject<HTMLElement | null>, parts: readonly Paragraph[], scrollTo: (index: number, options: { align: 'center' }) => void): void {
  const { words, player } = useModel()
  const lit = useRef<{ index: number; element: Element | null }>({ index: -1, element: null })
  const light = (ms: number) => {
    const index = wordAt(words, ms)
    const { current } = lit
    if (index === current.index && current.element?.isConnected) return
    current.element?.classList.remove(...LIT)
    const element = scroller.current?.querySelector(`[data-word="${index}"]`) ?? null
    element?.classList.add(...LIT)
    const moved = index !== current.index
    lit.current = { index, element }
    if (!moved || !player?.snapshot().playing) return
    const part = parts.findLastIndex((p) => p.from <= index)
    const box = scroller.current?.getBoundingClientRect()
    const at = element?.getBoundingClientRect()
    if (part >= 0 && box && (!at || at.top < box.top || at.bottom > box.bottom)) scrollTo(part, { align: 'center' })
  }
  usePosition(light)
}

function indexOf(node: Node | null): number | null {
  const element = node instanceof Element ? node : node?.parentElement
  const index = element?.closest('[data-word]')?.getAttribute('data-word')
  return index ? Number(index) : null
}
