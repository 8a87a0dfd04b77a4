import { useId, useMemo, type KeyboardEvent } from 'react'
import { twMerge } from 'tailwind-merge'
import type { CaptionLine } from '../../api/captions'
import { captionsText as text } from '../../text/editor/captions'
import { inputClass } from '../../ui/Field'
import { useFieldText } from '../../ui/useFieldText'
import { useCaptionLines, useWords } from '../state/contexts'
import { knownSpeakers, speakerOf } from '../edits/captionSpeakers'

/** The speaker of a line. An empty field stands for the speaker of the words. Enter and leaving the field save; Escape does not. */
export function CaptionSpeaker({ line }: { line: CaptionLine }) {
  const { lines, change } = useCaptionLines()
  const words = useWords()
  const list = useId()
  const known = useMemo(() => knownSpeakers(lines, words), [lines, words])
  const chosen = line.speaker ?? ''
  const { field, typed, reset } = useFieldText<HTMLInputElement>(chosen)
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') reset()
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.currentTarget.blur()
  }

  return (
    <>
      <input
        ref={field}
        data-caption-speaker
        aria-label={text.speaker(line.text)}
        title={text.speakerHint}
        placeholder={speakerOf(line, words) || text.noSpeaker}
        defaultValue={chosen}
        maxLength={100}
        list={list}
        autoComplete="off"
        onKeyDown={keys}
        onBlur={() => {
          const speaker = typed()?.trim()
          if (speaker !== undefined && speaker !== chosen) change(line, { speaker })
          else reset()
        }}
        className={twMerge(inputClass, 'h-7 w-28 px-1.5')}
      />
      <datalist id={list}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}
