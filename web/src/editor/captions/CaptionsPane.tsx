import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { RotateCcw } from 'lucide-react'
import { useCallback, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { captionLinesQuery, changeCaptionLine, regenerateCaptions, type CaptionLine } from '../../api/captions'
import { messageOf } from '../../api/client'
import { captionsText as text } from '../../text/editor/captions'
import { Badge } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Select } from '../../ui/Select'
import { activeSpans } from '../edits/cuts'
import { useScrollMemory } from '../shell/useScrollMemory'
import { useEdits, useHistory, usePlayer, useProject, useWords } from '../state/contexts'
import { timecode } from '../timeline/timecode'
import { removedParts, type RemovedPart } from './removedParts'

const ROW = 64

/** Maximum numbers of words in a line to choose from. */
const LENGTHS = Object.entries(text.lengths).map(([value, label]) => ({ value, label }))

/** The caption lines with editable text; edits do not change the transcript. */
export function CaptionsPane() {
  const { project } = useProject()
  const query = captionLinesQuery(project.uuid, project.active_run_id)
  const { data, error, isLoading, refetch } = useQuery(query)
  if (!project.active_run_id) return <p className="p-4 text-sm text-muted">{text.empty}</p>
  if (error) {
    return (
      <div className="p-4 text-sm text-muted" role="alert">
        <p>{text.loadFailed(messageOf(error))}</p>
        <Button size="sm" className="mt-2" onClick={() => void refetch()}>
          {text.tryAgain}
        </Button>
      </div>
    )
  }
  if (isLoading || !data)
    return (
      <div className="space-y-2 p-3">
        {[0, 1, 2, 3].map((i) => (
          <div key={i} className="skeleton h-12" />
        ))}
      </div>
    )
  return (
    <>
      {data.length === 0 ? <p className="flex-1 p-4 text-sm text-muted">{text.noSpeech}</p> : <Lines lines={data} />}
      <Rebuild lines={data} />
    </>
  )
}

function Lines({ lines }: { lines: CaptionLine[] }) {
  const { edits } = useEdits()
  const words = useWords()
  const removed = useMemo(() => removedParts(lines, words, activeSpans(edits)), [lines, words, edits])
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows are keyed by their UUID
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (i) => lines[i]!.uuid,
    overscan: 8,
  })
  useScrollMemory('captions', rows)
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
      <ul className="relative" style={{ height: rows.getTotalSize() }} aria-label={text.lines}>
        {rows.getVirtualItems().map((row) => (
          <li
            key={row.key}
            data-index={row.index}
            ref={rows.measureElement}
            className="absolute inset-x-0"
            style={{ top: row.start }}
          >
            <Line line={lines[row.index]!} removed={removed[row.index]!} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Line({ line, removed }: { line: CaptionLine; removed: RemovedPart }) {
  const player = usePlayer()
  const save = useSave()
  const changed = line.text !== line.original_text
  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter') event.currentTarget.blur()
    else if (event.key === 'Escape') {
      event.currentTarget.value = line.text
      event.currentTarget.blur()
    } else return
    event.preventDefault()
  }
  return (
    <div className="group flex gap-2 px-3 py-1.5">
      <button
        type="button"
        className="mt-1.5 self-start text-xs text-faint tabular-nums hover:text-accent"
        aria-label={text.goTo(timecode(line.start_ms))}
        onClick={() => player?.seek(line.start_ms)}
      >
        {timecode(line.start_ms)}
      </button>
      <textarea
        key={line.text}
        rows={1}
        aria-label={text.line(timecode(line.start_ms))}
        defaultValue={line.text}
        maxLength={500}
        onFocus={() => player?.seek(line.start_ms)}
        onKeyDown={keys}
        onBlur={(event) => {
          const edited = event.currentTarget.value.trim()
          if (edited === '') event.currentTarget.value = line.text
          else if (edited !== line.text) save(line, edited)
        }}
        className={`field-sizing-content min-w-0 flex-1 resize-none rounded-md border border-transparent bg-transparent px-2 py-1 text-sm transition-colors hover:border-line focus:border-accent focus:bg-raised focus:outline-none ${removed === 'all' ? 'removed-text' : ''}`}
      />
      {removed !== 'none' && (
        <span className="mt-1.5 shrink-0 self-start" title={text.removedHint[removed]}>
          <Badge>{text.removed[removed]}</Badge>
        </span>
      )}
      {changed && (
        <IconButton label={text.revert(line.original_text)} onClick={() => save(line, line.original_text)}>
          <RotateCcw size={14} />
        </IconButton>
      )}
    </div>
  )
}

// useSave shows a new text at once, saves it and makes it undoable.
function useSave(): (line: CaptionLine, edited: string) => void {
  const { project } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  return useCallback(
    (line, edited) => {
      const { queryKey } = captionLinesQuery(project.uuid, project.active_run_id)
      const change = async (to: string) => {
        await queryClient.cancelQueries({ queryKey })
        queryClient.setQueryData<CaptionLine[]>(queryKey, (lines) =>
          lines?.map((l) => (l.uuid === line.uuid ? { ...l, text: to } : l)),
        )
        await changeCaptionLine(line.uuid, to).finally(() => queryClient.invalidateQueries({ queryKey }))
      }
      void change(edited)
        .then(() =>
          history.record(
            text.editLabel,
            () => change(edited),
            () => change(line.text),
          ),
        )
        .catch((error: unknown) => toast.error(text.saveFailed, { description: messageOf(error) }))
    },
    [project.uuid, project.active_run_id, history, queryClient],
  )
}

// Rebuild creates the lines again with another length. It asks first if that discards edited lines.
function Rebuild({ lines }: { lines: CaptionLine[] }) {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const [words, setWords] = useState('7')
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const changed = lines.filter((l) => l.text !== l.original_text).length
  const build = () => {
    setAsking(false)
    setBusy(true)
    regenerateCaptions(project.uuid, Number(words))
      .catch((error: unknown) => toast.error(text.rebuildFailed, { description: messageOf(error) }))
      .finally(() => {
        setBusy(false)
        void queryClient.invalidateQueries({
          queryKey: captionLinesQuery(project.uuid, project.active_run_id).queryKey,
        })
      })
  }
  return (
    <div className="flex items-center gap-2 border-t border-line p-2">
      <Select
        className="min-w-0 flex-1"
        label={text.length}
        bare
        value={words}
        options={LENGTHS}
        onChange={(e) => setWords(e.currentTarget.value)}
      />
      <Button size="sm" disabled={busy} onClick={() => (changed > 0 ? setAsking(true) : build())}>
        {text.rebuild}
      </Button>
      <Confirm open={asking} onOpenChange={setAsking} title={text.rebuildTitle} yes={text.rebuild} onConfirm={build}>
        {text.rebuildWarning(changed)}
      </Confirm>
    </div>
  )
}
