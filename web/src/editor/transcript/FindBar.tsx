import { ChevronDown, ChevronUp, Replace, Scissors, Undo2 } from 'lucide-react'
import { transcriptText as text } from '../../text/editor/transcript'
import { Button, IconButton } from '../../ui/Button'
import { SearchBar } from '../../ui/SearchBar'
import { useActions } from '../commands/useCommand'
import { usePlayer, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { hitsToChange, type Hit, type WordState } from '../edits/words'

interface FindBarProps {
  hits: readonly Hit[]
  marks: readonly WordState[]
  reveal: (word: number) => void
}

/** Searches the transcript, steps through the matches, and cuts or restores all of them. */
export function FindBar({ hits, marks, reveal }: FindBarProps) {
  const words = useWords()
  const player = usePlayer()
  const find = useEditorStore((s) => s.find) ?? ''
  const caret = useEditorStore((s) => s.caret)
  const replacing = useEditorStore((s) => s.replacing)
  const { set, mark } = useEditorStore.getState()

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
    <div className="border-b border-line p-2" role="search">
      <SearchBar
        id="find"
        label={text.find}
        closeLabel={text.close}
        value={find}
        onChange={(value) => set({ find: value })}
        onClose={close}
        onStep={step}
        status={
          hits.length === 0 ? text.notFound : at >= 0 ? text.position(at + 1, hits.length) : text.matches(hits.length)
        }
      >
        <IconButton
          label={text.previous}
          keys="Shift Enter"
          disabled={hits.length === 0}
          onClick={() => step(-1)}
          className="size-7"
        >
          <ChevronUp size={16} />
        </IconButton>
        <IconButton
          label={text.next}
          keys="Enter"
          disabled={hits.length === 0}
          onClick={() => step(1)}
          className="size-7"
        >
          <ChevronDown size={16} />
        </IconButton>
        <IconButton
          label={text.showReplace}
          keys="Ctrl H"
          aria-expanded={replacing}
          onClick={() => set({ replacing: !replacing })}
          className={`size-7 ${replacing ? 'bg-hover' : ''}`}
        >
          <Replace size={16} />
        </IconButton>
      </SearchBar>
      {hits.length > 0 && <HitActions hits={hits} marks={marks} />}
    </div>
  )
}

// HitActions cuts the matches that stay and restores those that are cut or muted. Next to whole words, longer ones do not count.
function HitActions({ hits, marks }: Omit<FindBarProps, 'reveal'>) {
  const { cutWords, restoreWords } = useActions()
  const gone = (n: number) => marks[n]!.cut || marks[n]!.muted
  const all = (hit: { from: number; to: number }, test: (n: number) => boolean) =>
    Array.from({ length: hit.to - hit.from }, (_, i) => hit.from + i).every(test)

  const changed = hitsToChange(hits)
  const kept = changed.filter((hit) => !all(hit, gone))
  const lost = changed.filter((hit) => !all(hit, (n) => !gone(n)))
  const some = changed.length < hits.length
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {kept.length > 0 && (
        <Button size="sm" onClick={() => cutWords(kept)}>
          <Scissors size={14} aria-hidden /> {(some ? text.cutWholeWords : text.cutHits)(kept.length)}
        </Button>
      )}
      {lost.length > 0 && (
        <Button size="sm" onClick={() => restoreWords(lost)}>
          <Undo2 size={14} aria-hidden /> {(some ? text.restoreWholeWords : text.restoreHits)(lost.length)}
        </Button>
      )}
    </div>
  )
}
