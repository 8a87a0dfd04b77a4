import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { transcriptText as text } from '../../text/editor/transcript'
import { useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useCorrection } from './useReplace'
import { insidePunctuation } from '../edits/words'
import { joinWords } from '../plan/joinWords'

/**
 * A field in place of the words from first to last. Enter and leaving the field correct them; Escape does not. Typing
 * replaces the words and keeps the punctuation around them, which ends the sentence and the paragraph.
 */
export function CorrectionField({ first, last }: { first: number; last: number }) {
  const words = useWords()
  const correct = useCorrection()
  const field = useRef<HTMLInputElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(...insidePunctuation(field.current.value))
  }, [])

  const before = joinWords(words.slice(first, last + 1).map((w) => w.text))

  const [shown] = useState(before)
  const end = (after: string | null) => {
    if (ended.current) return
    ended.current = true
    useEditorStore.getState().set({ correcting: null })
    // Another window may have corrected the words since.
    if (after !== null && after !== shown) void correct(first, last, after)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    end(event.key === 'Enter' ? event.currentTarget.value : null)
    document.querySelector<HTMLElement>('[data-transcript]')?.focus()
  }

  return (
    <input
      ref={field}
      dir="auto"
      aria-label={text.correcting(before)}
      defaultValue={shown}
      maxLength={200}
      autoComplete="off"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.stopPropagation()}
      onContextMenu={(event) => event.stopPropagation()}
      onBlur={(event) => end(event.currentTarget.value)}
      className="field-sizing-content max-w-full rounded-sm border border-accent bg-raised px-1 text-base select-text focus:outline-none"
    />
  )
}
