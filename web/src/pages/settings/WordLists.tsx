import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState, type SubmitEvent } from 'react'
import { putWordList, wordListsQuery, type WordChoice, type WordList } from '../../api/wordLists'
import { commonText } from '../../text/common'
import { settingsText } from '../../text/settings'
import { wordListsText } from '../../text/wordLists'
import { Button } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { languageName } from './languages'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'

/** The words page: profanity and filler lists by language. */
export function WordLists() {
  const query = useQuery(wordListsQuery)
  const [language, setLanguage] = useState('en')
  return (
    <Page title={settingsText.pages.words}>
      <Loaded query={query} what={wordListsText.theWords} height="h-64">
        {(lists) => (
          <>
            <Select
              className="max-w-64"
              label={wordListsText.language}
              value={language}
              onChange={(e) => setLanguage(e.currentTarget.value)}
              options={lists
                .map((l) => ({ value: l.language, label: languageName(l.language) }))
                .sort((a, b) => a.label.localeCompare(b.label))}
            />
            {lists
              .filter((l) => l.language === language)
              .map((list) => (
                <Lists key={list.language} list={list} />
              ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Lists({ list }: { list: WordList }) {
  const queryClient = useQueryClient()
  const { mutate } = useServerChange(putWordList, [wordListsQuery.queryKey], (saved) =>
    queryClient.setQueryData(wordListsQuery.queryKey, (lists) =>
      lists?.map((l) => (l.language === saved.language ? saved : l)),
    ),
  )
  const change = (kind: 'censored' | 'fillers') => (added: string[], removed: string[]) =>
    mutate({ language: list.language, [kind]: { added, removed } })
  return (
    <>
      <Section title={wordListsText.profanity} description={wordListsText.profanityHelp}>
        <Choices name={wordListsText.profanity} choice={list.censored} onChange={change('censored')} hidden />
      </Section>
      <Section title={wordListsText.fillers} description={wordListsText.fillersHelp}>
        <Choices name={wordListsText.fillers} choice={list.fillers} onChange={change('fillers')} />
      </Section>
    </>
  )
}

interface ChoicesProps {
  name: string
  choice: WordChoice
  onChange: (added: string[], removed: string[]) => void
  /** Collapses the built-in words, because they may offend. */
  hidden?: boolean
}

function Choices({ name, choice: { built_in: builtIn, added, removed }, onChange, hidden = false }: ChoicesProps) {
  const add = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const word = (form.elements.namedItem('word') as HTMLInputElement).value.trim().toLowerCase()
    form.reset()
    if (word && !added.includes(word))
      onChange(
        [...added, word],
        removed.filter((w) => w !== word),
      )
  }
  const toggle = (word: string) =>
    onChange(added, removed.includes(word) ? removed.filter((w) => w !== word) : [...removed, word])
  return (
    <div className="flex flex-col gap-4">
      <form onSubmit={add} className="flex max-w-sm gap-2">
        <input
          name="word"
          aria-label={wordListsText.addTo(name)}
          placeholder={wordListsText.placeholder}
          maxLength={64}
          required
          autoComplete="off"
          className={`${inputClass} h-8`}
        />
        <Button type="submit" className="shrink-0">
          <Plus size={14} aria-hidden /> {commonText.add}
        </Button>
      </form>
      {added.length > 0 && (
        <ul className="flex flex-wrap gap-1.5" aria-label={wordListsText.yours(name)}>
          {added.map((word) => (
            <li
              key={word}
              className="inline-flex h-7 items-center gap-1 rounded-md border border-line bg-raised pr-1 pl-2.5 text-sm"
            >
              {word}
              <button
                type="button"
                aria-label={wordListsText.remove(word)}
                onClick={() =>
                  onChange(
                    added.filter((w) => w !== word),
                    removed,
                  )
                }
                className="inline-flex size-5 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      {builtIn.length === 0 ? (
        <p className="text-sm text-muted">{wordListsText.noneBuiltIn}</p>
      ) : (
        <details open={!hidden}>
          <summary className="cursor-pointer text-sm text-muted hover:text-ink">
            {wordListsText.builtInCount(builtIn.length, removed.length)}
          </summary>
          <ul className="mt-3 flex flex-wrap gap-1.5" aria-label={wordListsText.builtIn(name)}>
            {builtIn.map((word) => {
              const on = !removed.includes(word)
              return (
                <li key={word}>
                  <button
                    type="button"
                    aria-pressed={on}
                    onClick={() => toggle(word)}
                    className={`inline-flex h-7 items-center rounded-md border border-line px-2.5 text-sm transition-colors hover:bg-hover ${on ? 'bg-raised' : 'text-muted line-through'}`}
                  >
                    {word}
                  </button>
                </li>
              )
            })}
          </ul>
        </details>
      )}
    </div>
  )
}
