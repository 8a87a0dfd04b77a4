import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type PointerEvent, type RefObject } from 'react'
import { copyText } from '../../ui/clipboard'
import type { MenuPlace } from '../commands/ContextArea'
import { editAt } from '../edits/cuts'
import { useEdits, useLayout, usePlayer, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { footageOfWords, moreSentences, sentenceAt, wordAt, type Pause, type WordState } from '../edits/words'
import { joinWords } from '../plan/joinWords'

/** How long a finger must rest on a word to select instead of scroll, in milliseconds. */
const HOLD_MS = 400
/** Distance from the edge within which a drag scrolls, in pixels, and its speed in pixels per frame. */
const EDGE = 24
const SCROLL = 12

interface WordMarks {
  marks: readonly WordState[]
  pauses: readonly (Pause | null)[]
  /** Scrolls to a word. */
  reveal: (word: number) => void
}

/**
 * Selects words of the transcript by mouse (drag, or Shift and a click), by finger (hold, then drag) and by keys (Shift and
 * arrows). A click goes to the word or pause and selects the cut that contains it; a double click selects the word, a third
 * click and Alt with the keys its sentence.
 */
export function useWordSelection(scroller: RefObject<HTMLElement | null>, { marks, pauses, reveal }: WordMarks) {
  const words = useWords()
  const player = usePlayer()
  const { edits } = useEdits()
  const { totalMs } = useLayout()
  const { mark, select } = useEditorStore.getState()
  const drag = useDragging(scroller)

  const extend = (anchor: number, focus: number) =>
    mark(footageOfWords(words, Math.min(anchor, focus), Math.max(anchor, focus), totalMs), { anchor, focus })

  const anchorNow = () => useEditorStore.getState().caret?.anchor ?? Math.max(wordAt(words, player?.position() ?? 0), 0)
  const goTo = (word: number) => {
    const w = words[word]!
    const middle = (w.start_ms + w.end_ms) / 2
    const cut = marks[word]!.part ?? editAt(marks[word]!.cut ? edits.filter((e) => e.active) : [], middle)
    select(cut?.uuid ?? null)
    mark(null, { anchor: word, focus: word })
    player?.seek(w.start_ms)
  }

  const goToPause = ({ startMs, endMs }: Pause) => {
    const cut = editAt(edits, (startMs + endMs) / 2)
    select(cut?.uuid ?? null)
    if (!cut) mark({ startMs, endMs })
    player?.pause()
    player?.seek(startMs)
  }

  const selectSentence = (word = useEditorStore.getState().caret?.focus ?? anchorNow()) => {
    const { first, last } = sentenceAt(words, word)
    extend(first, last)
  }

  // choose prepares the context menu at a place: it selects the word there, unless it is selected already.
  const choose = ({ target, clientX, clientY, touch }: MenuPlace): boolean => {
    if (touch) return false // holding a finger on a word selects it
    const pause = pauses[pauseOf(target) ?? -1]
    if (pause) {
      goToPause(pause)
      return true
    }

    const { caret, selection } = useEditorStore.getState()
    const word = wordOf(document.elementFromPoint(clientX, clientY))
    const [from, to] = caret ? [Math.min(caret.anchor, caret.focus), Math.max(caret.anchor, caret.focus)] : [0, -1]
    if (word !== null && !(selection && word >= from && word <= to)) extend(word, word)
    else if (word === null && caret && !selection) extend(caret.anchor, caret.focus)
    return word !== null || useEditorStore.getState().selection !== null
  }

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const word = wordOf(event.target)
    if (event.button !== 0 || word === null) return
    if (event.shiftKey) return extend(anchorNow(), word)
    drag.begin(event, word, (anchor, focus) => extend(anchor, focus))
  }

  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const ended = drag.end(event)
    if (ended && !ended.moved) goTo(ended.anchor)
  }

  // extendBySentence selects the sentence at the caret, and then one more in the direction of the key.
  const extendBySentence = (direction: number) => {
    const { caret, selection } = useEditorStore.getState()
    if (!caret || !selection) return selectSentence()
    const { first, last } = moreSentences(words, caret, direction)
    extend(first, last)
    reveal(direction > 0 ? last : first)
  }

  const onClick = (event: MouseEvent<HTMLElement>) => {
    const pause = pauses[pauseOf(event.target) ?? -1]
    if (pause) return goToPause(pause)
    const word = event.detail > 1 ? wordOf(document.elementFromPoint(event.clientX, event.clientY)) : null
    if (word === null || event.shiftKey) return
    if (event.detail === 2) extend(word, word)
    else selectSentence(word)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const ctrl = event.ctrlKey || event.metaKey
    const { caret } = useEditorStore.getState()
    const by = BY[event.key]
    if (ctrl && event.key.toLowerCase() === 'c') return void copyWords(words, caret)
    if (!by || !(ctrl || event.shiftKey) || (event.altKey && (by.line !== 0 || !event.shiftKey))) return
    event.preventDefault()
    if (event.altKey) return extendBySentence(by.word)
    const at = caret?.focus ?? anchorNow()
    const fresh = event.shiftKey && (caret === null || useEditorStore.getState().selection === null)
    const next =
      fresh && by.line === 0 ? at : by.line === 0 ? at + by.word : adjacentLine(scroller.current, at, by.line)

    const word = Math.min(Math.max(next, 0), words.length - 1)
    if (event.shiftKey) extend(fresh ? at : (caret?.anchor ?? at), word)
    else goTo(word)
    const element = scroller.current?.querySelector(`[data-word="${word}"]`)
    if (element) element.scrollIntoView({ block: 'nearest' })
    else reveal(word)
  }

  return {
    choose,
    selectSentence: () => selectSentence(),
    copySelection: () => void copyWords(words, useEditorStore.getState().caret),
    onPointerDown,
    onPointerMove: drag.move,
    onPointerUp,
    onPointerCancel: () => void drag.end(),
    onClick,
    onKeyDown,
  }
}

const BY: Record<string, { word: number; line: number }> = {
  ArrowLeft: { word: -1, line: 0 },
  ArrowRight: { word: 1, line: 0 },
  ArrowUp: { word: 0, line: -1 },
  ArrowDown: { word: 0, line: 1 },
}

interface Dragging {
  anchor: number
  focus: number
  moved: boolean
  x: number
  y: number
  /** Whether the drag selects; false while a finger may still scroll. */
  selects: boolean
  onMove: (anchor: number, focus: number) => void
}

// useDragging follows a pointer across words and scrolls near the edges.
function useDragging(scroller: RefObject<HTMLElement | null>) {
  const drag = useRef<Dragging | null>(null)
  const timer = useRef(0)
  const frame = useRef(0)
  const stop = () => {
    window.clearTimeout(timer.current)
    cancelAnimationFrame(frame.current)
  }

  useEffect(() => {
    const element = scroller.current
    // The page must not scroll while a finger selects.
    const hold = (event: TouchEvent) => drag.current?.selects && event.preventDefault()
    element?.addEventListener('touchmove', hold, { passive: false })
    return () => {
      element?.removeEventListener('touchmove', hold)
      stop()
    }
  }, [scroller])

  // reach selects up to the word at the pointer.
  const reach = () => {
    const now = drag.current
    const box = scroller.current?.getBoundingClientRect()
    if (!now?.selects || !box) return
    const y = Math.min(Math.max(now.y, box.top + 2), box.bottom - 2)
    const word = wordOf(document.elementFromPoint(now.x, y))
    if (word === null || word === now.focus) return
    Object.assign(now, { focus: word, moved: true })
    now.onMove(now.anchor, word)
  }

  const follow = () => {
    const now = drag.current
    const box = scroller.current?.getBoundingClientRect()
    if (!now || !box) return
    const over = now.y < box.top + EDGE ? -1 : now.y > box.bottom - EDGE ? 1 : 0
    if (over && now.moved) scroller.current?.scrollBy(0, over * SCROLL)
    reach()
    frame.current = requestAnimationFrame(follow)
  }

  const begin = (event: PointerEvent<HTMLElement>, word: number, onMove: Dragging['onMove']) => {
    stop()
    const touch = event.pointerType === 'touch'
    const { currentTarget, pointerId } = event
    drag.current = {
      anchor: word,
      focus: word,
      moved: false,
      x: event.clientX,
      y: event.clientY,
      selects: !touch,
      onMove,
    }

    if (touch) {
      timer.current = window.setTimeout(() => {
        if (!drag.current) return
        Object.assign(drag.current, { selects: true, moved: true })
        onMove(word, word)
        follow()
      }, HOLD_MS)
    } else {
      currentTarget.setPointerCapture(pointerId)
      follow()
    }
  }

  const move = (event: PointerEvent<HTMLElement>) => {
    if (drag.current) Object.assign(drag.current, { x: event.clientX, y: event.clientY })
  }

  const end = (event?: PointerEvent<HTMLElement>) => {
    // A quick drag ends before the next frame.
    if (event) {
      move(event)
      reach()
    }

    stop()
    const ended = drag.current
    drag.current = null
    return ended
  }

  return { begin, move, end }
}

function wordOf(node: EventTarget | null): number | null {
  const index = node instanceof Element ? node.closest('[data-word]')?.getAttribute('data-word') : null
  return index ? Number(index) : null
}

function pauseOf(node: EventTarget | null): number | null {
  const index = node instanceof Element ? node.closest('[data-pause]')?.getAttribute('data-pause') : null
  return index ? Number(index) : null
}

// adjacentLine is the word above (-1) or below (1) a word in the current line breaks; ten words away if it is not rendered.
function adjacentLine(root: HTMLElement | null, word: number, line: number): number {
  const all = [...(root?.querySelectorAll('[data-word]') ?? [])]
  const at = all.findIndex((e) => Number(e.getAttribute('data-word')) === word)
  if (at < 0) return word + line * 10
  const from = all[at]!.getBoundingClientRect()
  let best = word
  let distance = Infinity
  let top: number | null = null
  for (let i = at + line; i >= 0 && i < all.length; i += line) {
    const box = all[i]!.getBoundingClientRect()
    if (Math.abs(box.top - from.top) < 4) continue
    top ??= box.top
    if (Math.abs(box.top - top) > 4) break
    const d = Math.abs(box.left + box.width / 2 - from.left - from.width / 2)
    if (d < distance) [best, distance] = [Number(all[i]!.getAttribute('data-word')), d]
  }

  return best === word ? word + line * 10 : best
}

async function copyWords(
  words: readonly { text: string }[],
  caret: { anchor: number; focus: number } | null,
): Promise<void> {
  if (!caret) return
  const [from, to] = [Math.min(caret.anchor, caret.focus), Math.max(caret.anchor, caret.focus) + 1]
  await copyText(joinWords(words.slice(from, to).map((w) => w.text)))
}
