import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { putWordList, wordListsQuery, type WordChoice, type WordList } from '../../api/wordLists'
import { settingsText } from '../../text/settings'
import { wordListsText as text } from '../../text/wordLists'
import { Choice } from '../../ui/Choice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { WordChips } from '../../ui/WordChips'
import { languageName } from '../../editor/analysis/languages'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'

type ListName = keyof typeof text.lists

const LISTS = Object.entries(text.lists).map(([value, label]) => ({ value: value as ListName, label }))

/** Maximum numbers of words in a list. */
const MAX_TERMS = 200
const MAX_WORDS = 1000

/** The words page: vocabulary, fillers and profanity by language. */
export function WordLists() {
  const query = useQuery(wordListsQuery)
  const [language, setLanguage] = useState('en')
  const [list, setList] = useState<ListName>('vocabulary')
  return (
    <Page title={settingsText.pages.words}>
      <Loaded query={query} what={text.theWords} height="h-64">
        {(lists) => (
          <>
            <div className="flex flex-wrap items-end gap-4">
              <Select
                className="w-56"
                label={text.language}
                value={language}
                onChange={(e) => setLanguage(e.currentTarget.value)}
                options={lists
                  .map((l) => ({ value: l.language, label: languageName(l.language) }))
                  .sort((a, b) => a.label.localeCompare(b.label))}
              />
              <Choice label={text.list} value={list} options={LISTS} onChange={setList} />
            </div>
            {lists
              .filter((l) => l.language === language)
              .map((words) => (
                <Section key={`${language} ${list}`} title={text.lists[list]} description={text.help[list]}>
                  <List list={words} name={list} />
                </Section>
              ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function List({ list, name }: { list: WordList; name: ListName }) {
  const queryClient = useQueryClient()
  const { mutate } = useServerChange(putWordList, [wordListsQuery.queryKey], (saved) =>
    queryClient.setQueryData(wordListsQuery.queryKey, (lists) =>
      lists?.map((l) => (l.language === saved.language ? saved : l)),
    ),
  )

  if (name === 'vocabulary')
    return (
      <>
        <WordChips
          name={text.lists.vocabulary}
          words={list.vocabulary}
          placeholder={text.termPlaceholder}
          max={MAX_TERMS}
          onChange={(vocabulary) => mutate({ language: list.language, vocabulary })}
        />
        {list.vocabulary.length === 0 && <p className="mt-3 text-sm text-muted">{text.noTerms}</p>}
      </>
    )
  return (
    <Choices
      name={text.lists[name]}
      choice={list[name]}
      hidden={name === 'censored'}
      onChange={(added, removed) => mutate({ language: list.language, [name]: { added, removed } })}
    />
  )
}

interface ChoicesProps {
  name: string
  choice: WordChoice
  onChange: (added: string[], removed: string[]) => void
  /** Collapses the built-in words, because they may offend. */
  hidden: boolean
}

function Choices({ name, choice: { built_in: builtIn, added, removed }, onChange, hidden }: ChoicesProps) {
  const toggle = (word: string) =>
    onChange(added, removed.includes(word) ? removed.filter((w) => w !== word) : [...removed, word])

  return (
    <div className="flex flex-col gap-4">
      <WordChips
        name={name}
        words={added}
        placeholder={text.placeholder}
        max={MAX_WORDS}
        normalize={(word) => word.toLowerCase()}
        onChange={(words) =>
          onChange(
            words,
            removed.filter((word) => !words.includes(word)),
          )
        }
      />
      {builtIn.length === 0 ? (
        <p className="text-sm text-muted">{text.noneBuiltIn}</p>
      ) : (
        <details open={!hidden}>
          <summary className="cursor-pointer text-sm text-muted hover:text-ink">
            {text.builtInCount(builtIn.length, removed.length)}
          </summary>
          <ul className="mt-3 flex flex-wrap gap-1.5" aria-label={text.builtIn(name)}>
            {builtIn.map((word) => {
              const on = !removed.includes(word)
              return (
                <li key={word}>
                  <button
                    type="button"
                    aria-pressed={on}
                    onClick={() => toggle(word)}
                    className={`inline-flex h-7 items-center rounded-md border border-line px-2.5 text-sm transition-colors hover:bg-hover ${on ? 'bg-raised' : 'border-dashed text-muted'}`}
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
