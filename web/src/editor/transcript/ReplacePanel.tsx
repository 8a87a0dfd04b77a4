import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState, type SubmitEvent } from 'react'
import { messageOf } from '../../api/client'
import { replacedPlacesQuery, type TextReplacement } from '../../api/replace'
import { captionsText } from '../../text/editor/captions'
import { transcriptText as text } from '../../text/editor/transcript'
import { Button } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { usePlayer, useProject } from '../state/contexts'
import { timecode } from '../plan/timecode'
import { chosenIndices, placeRows, type PlaceRow } from './replacePlaces'
import { useReplace } from './useReplace'

const ROW = 44

type Where = NonNullable<TextReplacement['in']>

interface ReplacePanelProps {
  /** The text to replace. */
  find: string
  replacement: string
  onReplacement: (text: string) => void
  where: Where
  onClose: () => void
}

/** Replaces the text of a search bar in the transcript and the captions, or in the captions only, after a preview of all places. */
export function ReplacePanel({ find, replacement, onReplacement, where, onClose }: ReplacePanelProps) {
  const { project } = useProject()
  const [matchCase, setMatchCase] = useState(false)
  const [wholeWords, setWholeWords] = useState(true)
  const [remember, setRemember] = useState(false)
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set())
  const input = useRef<HTMLInputElement>(null)
  const opened = useRef(find)
  useEffect(() => {
    if (opened.current) input.current?.focus()
  }, [])

  const body = useDeferredValue(
    useMemo<TextReplacement>(
      () => ({ find, replace: replacement, match_case: matchCase, whole_words: wholeWords, in: where }),
      [find, replacement, matchCase, wholeWords, where],
    ),
  )

  const query = replacedPlacesQuery(project.uuid, project.active_run_id, body)
  const { data, error, isPlaceholderData } = useQuery(query)
  const ready = query.enabled === true
  const rows = useMemo(() => (ready && data ? placeRows(data) : []), [ready, data])
  const only = chosenIndices(rows, excluded)
  const chosen = rows.filter((r) => !excluded.has(r.indices[0]!)).length
  const bodyKey = JSON.stringify(body)
  useEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- other places have other indices
    setExcluded(new Set())
  }, [bodyKey])

  const { replace, busy } = useReplace()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (chosen > 0 && !isPlaceholderData && !busy)
      void replace(body, only, {
        label: where === 'captions' ? captionsText.changes.replace : text.replaceLabel,
        done: text.replaced(chosen),
        failed: text.replaceFailed,
        remember,
      })
  }

  return (
    <form
      onSubmit={submit}
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return
        e.preventDefault()
        onClose()
      }}
      className="flex flex-col gap-2 border-b border-line p-2"
      aria-label={text.showReplace}
    >
      <div className="flex gap-2">
        <input
          ref={input}
          aria-label={text.replaceWith}
          placeholder={text.replaceWith}
          value={replacement}
          maxLength={200}
          dir="auto"
          autoComplete="off"
          onChange={(e) => onReplacement(e.target.value)}
          className={`${inputClass} h-8 min-w-0 flex-1`}
        />
        <Button
          type="submit"
          size="sm"
          variant="primary"
          className="h-8"
          disabled={chosen === 0 || isPlaceholderData || busy}
        >
          {text.replace(chosen)}
        </Button>
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        <Check label={text.matchCase} checked={matchCase} onChange={setMatchCase} />
        <Check label={text.wholeWords} checked={wholeWords} onChange={setWholeWords} />
        {where === 'everywhere' && (
          <Check label={text.remember} title={text.rememberHint} checked={remember} onChange={setRemember} />
        )}
      </div>
      {error ? (
        <p role="alert" className="text-xs text-danger">
          {messageOf(error)}
        </p>
      ) : !ready || !data ? (
        <p className="text-xs text-faint">{where === 'captions' ? captionsText.replaceHint : text.replaceHint}</p>
      ) : (
        <Preview rows={rows} where={where} chosen={chosen} excluded={excluded} onChange={setExcluded} />
      )}
    </form>
  )
}

interface PreviewProps {
  rows: PlaceRow[]
  where: Where
  /** How many places change. */
  chosen: number
  /** The first indices of the places that stay. */
  excluded: ReadonlySet<number>
  onChange: (excluded: ReadonlySet<number>) => void
}

// Preview lists the places with a check mark for each.
function Preview({ rows, where, chosen, excluded, onChange }: PreviewProps) {
  if (rows.length === 0)
    return (
      <p role="status" className="text-xs text-muted">
        {text.noPlaces}
      </p>
    )
  const toggle = (index: number) => {
    const next = new Set(excluded)
    if (!next.delete(index)) next.add(index)
    onChange(next)
  }

  return (
    <>
      <div className="flex items-center justify-between text-xs">
        <Check
          label={text.all}
          checked={chosen === rows.length}
          onChange={(on) => onChange(new Set(on ? [] : rows.map((r) => r.indices[0]!)))}
        />
        <span role="status" className="text-muted">
          {text.chosen(chosen, rows.length)}
        </span>
      </div>
      <Places rows={rows} where={where} excluded={excluded} toggle={toggle} />
    </>
  )
}

interface CheckProps {
  label: string
  title?: string
  checked: boolean
  onChange: (on: boolean) => void
}

function Check({ label, title, checked, onChange }: CheckProps) {
  return (
    <label className="inline-flex items-center gap-1.5" title={title}>
      <input type="checkbox" checked={checked} onChange={(e) => onChange(e.target.checked)} className="accent-accent" />
      {label}
    </label>
  )
}

interface PlacesProps {
  rows: PlaceRow[]
  where: Where
  excluded: ReadonlySet<number>
  toggle: (index: number) => void
}

// Places lists the places. Only the visible rows are rendered, because a common word has thousands.
function Places({ rows, where, excluded, toggle }: PlacesProps) {
  const player = usePlayer()
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows have no state
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  })

  return (
    <div ref={scroller} className="max-h-56 overflow-y-auto rounded-md border border-line" tabIndex={-1}>
      <ul className="relative" style={{ height: list.getTotalSize() }} aria-label={text.places}>
        {list.getVirtualItems().map((item) => {
          const row = rows[item.index]!
          const index = row.indices[0]!
          return (
            <li
              key={index}
              data-index={item.index}
              ref={list.measureElement}
              className="absolute inset-x-0 flex items-start gap-2 px-2 py-1.5 text-xs hover:bg-hover"
              style={{ top: item.start }}
            >
              <input
                id={`${id}-${index}`}
                type="checkbox"
                checked={!excluded.has(index)}
                onChange={() => toggle(index)}
                aria-label={text.place(timecode(row.startMs), row.before, row.after)}
                className="mt-0.5 shrink-0 accent-accent"
              />
              <button
                type="button"
                className="shrink-0 text-faint tabular-nums hover:text-accent"
                onClick={() => player?.seek(row.startMs)}
              >
                {timecode(row.startMs)}
              </button>
              <label htmlFor={`${id}-${index}`} className="min-w-0 flex-1 text-muted" dir="auto">
                {row.contextBefore} <del className="text-faint">{row.before}</del>{' '}
                <ins className="font-semibold text-ink no-underline">{row.after}</ins> {row.contextAfter}
                {where === 'everywhere' && row.where !== 'both' && (
                  <span className="ml-1 text-faint">({text.only[row.where]})</span>
                )}
              </label>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
