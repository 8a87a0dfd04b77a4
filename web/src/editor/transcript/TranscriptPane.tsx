import { useVirtualizer } from '@tanstack/react-virtual'
import { Copy, Scissors, Search, SpellCheck, TextSelect, Undo2, VolumeX } from 'lucide-react'
import { Fragment, memo, useCallback, useEffect, useMemo, useRef } from 'react'
import { shortsText } from '../../text/editor/shorts'
import { transcriptText as text } from '../../text/editor/transcript'
import { Button, IconButton } from '../../ui/Button'
import { Tip } from '../../ui/Tip'
import { ModelOffer } from '../analysis/ModelOffer'
import { CommandItem, ContextArea, MenuItem, MenuLine } from '../commands/ContextArea'
import { useCommand } from '../commands/useCommand'
import { kindColor, kindOf } from '../edits/kinds'
import { usePosition } from '../state/usePosition'
import { useScrollMemory } from '../../ui/useScrollMemory'
import { languageName } from '../analysis/languages'
import { useEdits, useLayout, usePlayer, useProject, useRuns, useWords } from '../state/contexts'
import { CutItems } from '../review/CutMenu'
import { useEditorStore } from '../state/store'
import { useSelectedRow } from '../state/useSelectedRow'
import { timecode } from '../plan/timecode'
import { CorrectionField } from './CorrectionField'
import { FindBar } from './FindBar'
import { ReplacePanel } from './ReplacePanel'
import { SpeakerName } from './SpeakerName'
import { useWordSelection } from './useWordSelection'
import {
  findWords,
  indexWords,
  wordStates,
  paragraphs,
  pausesBefore,
  wordAt,
  wordsOfFootage,
  wordsWithin,
  type Paragraph,
  type Pause,
  type WordState,
} from '../edits/words'
import { joinWords, writtenTogether } from '../plan/joinWords'

/** The transcript. Clicking a word goes to it; selecting words selects their footage. */
export function TranscriptPane() {
  const words = useWords()
  const { run } = useRuns()
  const { project } = useProject()
  if (words.length > 0) return <Words />
  if (run?.status === 'completed')
    return <NoWords model={run.model} unsupported={run?.language_doubt === 'unsupported' ? run.language : null} />
  return (
    <div className="p-4 text-sm text-muted">
      {project.status === 'analyzing' ? (
        <div className="space-y-3" role="status" aria-label={text.transcribing}>
          {[92, 100, 84, 96, 60, 0, 98, 88, 72].map((w, i) => (
            <div key={i} className={w ? 'skeleton h-3' : 'h-2'} style={{ width: `${w}%` }} />
          ))}
        </div>
      ) : (
        <p>{text.empty}</p>
      )}
    </div>
  )
}

function NoWords({ model, unsupported }: { model: string | null; unsupported: string | null }) {
  if (unsupported !== null && model !== null)
    return <p className="p-4 text-sm text-muted">{text.languageUnsupported(model, languageName(unsupported))}</p>

  if (model !== null) return <p className="p-4 text-sm text-muted">{text.noSpeech}</p>
  return (
    <div className="p-4">
      <ModelOffer />
      <p className="mt-3 text-sm text-muted">{text.noModel}</p>
    </div>
  )
}

interface WordRange {
  from: number
  to: number
}

const NONE: WordRange = { from: 0, to: 0 }

function ReplaceInTranscript({ find }: { find: string }) {
  const replacement = useEditorStore((s) => s.replacement)
  const { set } = useEditorStore.getState()
  const close = () => {
    set({ replacing: false })
    document.querySelector<HTMLElement>('#find')?.focus()
  }

  return (
    <ReplacePanel
      find={find}
      replacement={replacement}
      onReplacement={(replacement) => set({ replacement })}
      where="everywhere"
      onClose={close}
    />
  )
}

function Words() {
  const words = useWords()
  const { edits } = useEdits()
  const { totalMs } = useLayout()
  const selection = useEditorStore((s) => s.selection)
  const field = useEditorStore((s) => s.correcting)
  const correcting = useMemo(() => field && wordsOfFootage(words, field), [words, field])
  const find = useEditorStore((s) => s.find)
  const replacing = useEditorStore((s) => s.replacing)
  const scroller = useRef<HTMLDivElement>(null)
  const parts = useMemo(() => paragraphs(words), [words])
  const marks = useMemo(() => wordStates(words, edits), [words, edits])
  const pauses = useMemo(() => pausesBefore(words, edits, totalMs), [words, edits, totalMs])
  const index = useMemo(() => indexWords(words), [words])
  const hits = useMemo(() => (find ? findWords(index, find) : []), [index, find])
  const marked = useMemo(() => (selection ? wordsWithin(words, selection) : NONE), [words, selection])
  // eslint-disable-next-line react-hooks/incompatible-library -- paragraphs have no state
  const rows = useVirtualizer({
    count: parts.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => 40 + Math.ceil((parts[i]!.to - parts[i]!.from) / 7) * 24,
    overscan: 4,
  })

  useScrollMemory('transcript', rows)
  const { scrollToIndex } = rows
  const reveal = useCallback(
    (word: number) =>
      scrollToIndex(
        Math.max(
          parts.findLastIndex((p) => p.from <= word),
          0,
        ),
        { align: 'center' },
      ),
    [parts, scrollToIndex],
  )

  useCurrentWord(scroller, reveal)
  useEffect(() => {
    if (correcting) reveal(correcting.from)
  }, [correcting, reveal])

  const { choose, selectSentence, copySelection, ...handlers } = useWordSelection(scroller, { marks, pauses, reveal })
  return (
    <>
      {find !== null && <FindBar hits={hits} marks={marks} reveal={reveal} />}
      {find !== null && replacing && <ReplaceInTranscript find={find} />}
      <ContextArea
        label={text.menu}
        choose={choose}
        keyTarget={() => {
          const word = useEditorStore.getState().caret?.focus
          return scroller.current?.querySelector(word === undefined ? '[data-lit]' : `[data-word="${word}"]`)
        }}
        items={<WordItems words={marked} selectSentence={selectSentence} copySelection={copySelection} />}
      >
        <div
          ref={scroller}
          role="group"
          data-transcript
          aria-label={text.region}
          tabIndex={0}
          className="min-h-0 flex-1 touch-pan-y overflow-y-auto overscroll-contain select-none focus-visible:-outline-offset-2"
          {...handlers}
        >
          <div className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((row) => {
              const part = parts[row.index]!
              const range = clipToParagraph(marked, part)
              return (
                <div
                  key={row.key}
                  data-index={row.index}
                  ref={rows.measureElement}
                  className="absolute inset-x-0 px-4 pt-3"
                  style={{ transform: `translateY(${row.start}px)` }}
                >
                  <Text
                    part={part}
                    texts={words}
                    marks={marks}
                    pauses={pauses}
                    correcting={correcting && clipToParagraph(correcting, part)}
                    from={range.from}
                    to={range.to}
                    hits={hitsIn(hits, part)}
                  />
                </div>
              )
            })}
          </div>
        </div>
      </ContextArea>
      <SelectionBar
        words={marked.to - marked.from}
        cutWords={marks.slice(marked.from, marked.to).filter((m) => m.cut || m.muted).length}
      />
    </>
  )
}

const clipToParagraph = (range: WordRange, part: Paragraph): WordRange => {
  const from = Math.max(range.from, part.from)
  const to = Math.min(range.to, part.to)
  return to > from ? { from, to } : NONE
}

// hitsIn joins the hits in a paragraph into a string, which memo compares by value.
function hitsIn(hits: readonly WordRange[], part: Paragraph): string {
  let lo = 0
  let hi = hits.length
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (hits[mid]!.to <= part.from) lo = mid + 1
    else hi = mid
  }

  const out: string[] = []
  for (let i = lo; i < hits.length && hits[i]!.from < part.to; i++) out.push(`${hits[i]!.from}-${hits[i]!.to}`)
  return out.join(' ')
}

interface TextProps {
  part: Paragraph
  texts: readonly { text: string }[]
  marks: readonly WordState[]
  pauses: readonly (Pause | null)[]
  /** The words of the paragraph that a field corrects; an empty range without any. */
  correcting: WordRange | null
  from: number
  to: number
  hits: string
}

const Text = memo(function Text({ part, texts, marks, pauses, correcting, from, to, hits }: TextProps) {
  const found = hits ? hits.split(' ').map((h) => h.split('-').map(Number) as [number, number]) : []
  return (
    <>
      <p className="flex min-w-0 items-baseline gap-1 text-xs text-faint">
        {timecode(part.startMs)} {part.speaker && <SpeakerName name={part.speaker} />}
      </p>
      <p className="text-base" dir="auto">
        {part.from === 0 && <PauseChip index={0} pause={pauses[0]} />}
        {texts.slice(part.from, part.to).map((word, i) => {
          const n = part.from + i
          const state = marks[n]!
          const about = aboutWord(state)
          if (correcting && n >= correcting.from && n < correcting.to)
            return (
              <Fragment key={n === correcting.from ? 'correction' : n}>
                {n === correcting.from && <CorrectionField first={n} last={correcting.to - 1} />}
                {n === correcting.to - 1 && <PauseChip index={n + 1} pause={pauses[n + 1]} />}
              </Fragment>
            )
          return (
            <Fragment key={n}>
              <span
                data-word={n}
                title={about}
                style={state.part ? kindColor(state.part.type) : undefined}
                className={`rounded-sm data-lit:bg-accent data-lit:text-accent-ink ${n >= from && n < to ? 'bg-accent-mark' : 'hover:bg-hover'} ${found.some(([a, b]) => n >= a && n < b) ? 'word-found' : ''} ${state.cut ? 'removed-text' : ''} ${state.muted ? 'word-muted' : ''} ${state.part ? 'word-part' : ''}`}
              >
                {word.text.trim()}
              </span>
              {n + 1 < texts.length && writtenTogether(word.text, texts[n + 1]!.text.trim()) ? '' : ' '}
              <PauseChip index={n + 1} pause={pauses[n + 1]} />
            </Fragment>
          )
        })}
      </p>
    </>
  )
})

// PauseChip shows the length of the pause before a word. Tab does not stop there: with the keyboard, the words around a
// pause select it.
function PauseChip({ index, pause }: { index: number; pause: Pause | null | undefined }) {
  if (!pause) return null
  const lengthMs = pause.endMs - pause.startMs
  const about = text.pauseLabel(lengthMs, pause.keptMs)
  return (
    <>
      <button
        type="button"
        tabIndex={-1}
        data-pause={index}
        aria-label={about}
        title={about}
        className={`mx-0.5 inline-flex h-4.5 items-center rounded-full border border-line bg-raised px-1.5 align-middle text-xs tabular-nums hover:border-strong ${pause.cut ? 'removed-text' : 'text-muted'}`}
      >
        {text.pause(lengthMs)}
      </button>{' '}
    </>
  )
}

interface WordItemsProps {
  words: WordRange
  selectSentence: () => void
  copySelection: () => void
}

// WordItems are the items of the context menu, for a selected cut or for selected words.
function WordItems({ words, selectSentence, copySelection }: WordItemsProps) {
  const transcript = useWords()
  const cut = useSelectedRow()
  const { set } = useEditorStore.getState()
  const chosen = joinWords(transcript.slice(words.from, words.to).map((w) => w.text))

  if (!chosen) return cut ? <CutItems row={cut} /> : <FootageItems />
  return (
    <>
      <FootageItems />
      <MenuLine />
      <CommandItem name="correct" icon={SpellCheck} label={text.correctHint} />
      <MenuItem icon={TextSelect} label={text.selectSentence} onSelect={selectSentence} />
      <MenuItem icon={Copy} label={text.copy} keys="Ctrl C" onSelect={copySelection} />
      {chosen.length <= 40 && (
        <MenuItem
          icon={Search}
          label={text.findWords(chosen)}
          onSelect={() => set({ find: chosen, leftTab: 'transcript' })}
        />
      )}
    </>
  )
}

// FootageItems change the selected footage.
function FootageItems() {
  return (
    <>
      <CommandItem name="delete" icon={Scissors} label={text.cut} />
      <CommandItem name="mute" icon={VolumeX} label={text.mute} />
      <CommandItem name="restore" icon={Undo2} label={text.restore} />
      <CommandItem name="short" label={shortsText.make} />
    </>
  )
}

// aboutWord is the tooltip of a word.
function aboutWord({ part, muted }: WordState): string | undefined {
  const reason = part && text.part(kindOf(part.type).label, part.reason)
  if (!muted) return reason ?? undefined
  return reason ? text.mutedPart(reason) : text.muted
}

// SelectionBar shows the selected words with their actions.
function SelectionBar({ words, cutWords }: { words: number; cutWords: number }) {
  const selection = useEditorStore((s) => s.selection)
  const [cut, restore, correct] = [useCommand('delete'), useCommand('restore'), useCommand('correct')]
  const short = useCommand('short')
  if (!selection || words === 0) return null
  return (
    <div className="flex items-center gap-2 border-t border-line px-3 py-2 text-xs" role="status">
      <span className="min-w-0 flex-1 truncate text-muted">
        {text.selection(words, selection.endMs - selection.startMs)}
      </span>
      <Tip text={text.correctHint} keys={correct.keys}>
        <Button size="sm" variant="quiet" onClick={correct.run}>
          <SpellCheck size={14} aria-hidden /> {text.correct}
        </Button>
      </Tip>
      <span className="hidden phone:contents">
        <IconButton label={shortsText.make} onClick={short.run}>
          <short.icon size={16} />
        </IconButton>
      </span>
      {cutWords > 0 && (
        <Tip text={text.restoreHint} keys={restore.keys}>
          <Button size="sm" onClick={restore.run}>
            <Undo2 size={14} aria-hidden /> {text.restore}
          </Button>
        </Tip>
      )}
      {cutWords < words && (
        <Tip text={text.cutHint} keys={cut.keys}>
          <Button size="sm" variant="primary" onClick={cut.run}>
            <Scissors size={14} aria-hidden /> {text.cut}
          </Button>
        </Tip>
      )}
    </div>
  )
}

// useCurrentWord highlights the spoken word and keeps it in view during playback.
function useCurrentWord(scroller: React.RefObject<HTMLElement | null>, reveal: (word: number) => void): void {
  const words = useWords()
  const player = usePlayer()
  const lit = useRef<{ index: number; element: Element | null }>({ index: -1, element: null })
  const light = (ms: number) => {
    const index = wordAt(words, ms)
    const { current } = lit
    if (index === current.index && current.element?.isConnected) return
    current.element?.removeAttribute('data-lit')
    const element = scroller.current?.querySelector(`[data-word="${index}"]`) ?? null
    element?.setAttribute('data-lit', '')
    const moved = index !== current.index
    lit.current = { index, element }
    if (!moved || index < 0 || !player?.snapshot().playing) return
    const box = scroller.current?.getBoundingClientRect()
    const at = element?.getBoundingClientRect()
    if (box && (!at || at.top < box.top || at.bottom > box.bottom)) reveal(index)
  }

  usePosition(light)
}
