import { Plus, X } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { commonText } from '../text/common'
import { wordListsText as text } from '../text/wordLists'
import { Button } from './Button'
import { inputClass } from './Field'
import { splitWords } from './words'

/** From this number of words on, a filter is shown. */
const MANY = 20

interface WordChipsProps {
  /** The name of the list. */
  name: string
  words: readonly string[]
  placeholder: string
  /** Maximum number of words. */
  max: number
  onChange: (words: string[]) => void
  /** Brings a word into the form of the list. */
  normalize?: (word: string) => string
}

/** An editable list of words. Pasted text with commas or lines adds several words. */
export function WordChips({ name, words, placeholder, max, onChange, normalize = (word) => word }: WordChipsProps) {
  const [filter, setFilter] = useState('')
  const add = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const field = form.elements.namedItem('word') as HTMLTextAreaElement
    const known = new Set(words.map((w) => w.toLowerCase()))
    const added = splitWords(field.value)
      .map(normalize)
      .filter((word) => !known.has(word.toLowerCase()))

    form.reset()
    if (added.length > 0) onChange([...words, ...added])
  }

  const shown = words.filter((word) => word.toLowerCase().includes(filter.trim().toLowerCase()))
  return (
    <div className="flex flex-col gap-3">
      <form onSubmit={add} className="flex max-w-md items-start gap-2">
        <textarea
          name="word"
          rows={1}
          aria-label={text.addTo(name)}
          placeholder={placeholder}
          required
          dir="auto"
          autoComplete="off"
          onKeyDown={(e) => {
            if (e.key !== 'Enter' || e.shiftKey) return
            e.preventDefault()
            e.currentTarget.form?.requestSubmit()
          }}
          className={`${inputClass} field-sizing-content max-h-32 min-h-8 min-w-0 flex-1 resize-none py-1.5`}
        />
        <Button type="submit" size="sm" className="h-8 shrink-0" disabled={words.length >= max}>
          <Plus size={14} aria-hidden /> {commonText.add}
        </Button>
      </form>
      {words.length >= MANY && (
        <div className="flex max-w-md items-center gap-2">
          <input
            type="search"
            aria-label={text.filter(name)}
            placeholder={text.filterHint}
            value={filter}
            onChange={(e) => setFilter(e.target.value)}
            className={`${inputClass} h-8 min-w-0 flex-1`}
          />
          <span className="shrink-0 text-xs text-muted" role="status">
            {text.count(shown.length, words.length)}
          </span>
        </div>
      )}
      {shown.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label={text.yours(name)}>
          {shown.map((word) => (
            <li
              key={word}
              className="inline-flex h-7 max-w-full items-center gap-1 rounded-md border border-line bg-raised pr-1 pl-2.5 text-sm"
            >
              <span className="truncate" dir="auto">
                {word}
              </span>
              <button
                type="button"
                aria-label={text.remove(word)}
                onClick={() => onChange(words.filter((w) => w !== word))}
                className="inline-flex size-5 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
