import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { RotateCcw } from 'lucide-react'
import { useCallback, useRef, useState, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { captionLinesQuery, changeCaptionLine, regenerateCaptions, type CaptionLine } from '../../api/captions'
import { messageOf } from '../../api/client'
import { Button, IconButton } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Select } from '../../ui/Select'
import { timecode } from '../timeline/timecode'
import { count } from '../format'
import { useHistory, usePlayer, useProject } from '../state/contexts'
import { useScrollMemory } from '../shell/useScrollMemory'

const ROW = 64

/** How many words a line has at most, as one chooses it. */
const LENGTHS = [
  { value: '3', label: 'Up to 3 words, for upright video' },
  { value: '7', label: 'Up to 7 words' },
  { value: '12', label: 'Up to 12 words' },
]

/** The caption lines, whose text can be changed; the words that were said stay as they are. */
export function CaptionsPane() {
  const { project } = useProject()
  const query = captionLinesQuery(project.uuid, project.active_run_id)
  const { data, error, isLoading, refetch } = useQuery(query)
  if (!project.active_run_id)
    return (
      <p className="p-4 text-sm text-muted">
        Captions are written when the cuts are found. Their text can then be changed here, and an export can draw them
        into the picture.
      </p>
    )
  if (error) {
    return (
      <div className="p-4 text-sm text-muted" role="alert">
        <p>The captions could not be read. {messageOf(error)}</p>
        <Button size="sm" className="mt-2" onClick={() => void refetch()}>
          Try again
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
      {data.length === 0 ? (
        <p className="flex-1 p-4 text-sm text-muted">No words were heard in this recording.</p>
      ) : (
        <Lines lines={data} />
      )}
      <Anew lines={data} />
    </>
  )
}

function Lines({ lines }: { lines: CaptionLine[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows are kept by their uuid
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
      <ul className="relative" style={{ height: rows.getTotalSize() }} aria-label="Caption lines">
        {rows.getVirtualItems().map((row) => (
          <li
            key={row.key}
            data-index={row.index}
            ref={rows.measureElement}
            className="absolute inset-x-0"
            style={{ top: row.start }}
          >
            <Line line={lines[row.index]!} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Line({ line }: { line: CaptionLine }) {
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
        aria-label={`Go to ${timecode(line.start_ms)}`}
        onClick={() => player?.seek(line.start_ms)}
      >
        {timecode(line.start_ms)}
      </button>
      <textarea
        key={line.text}
        rows={1}
        aria-label={`Caption at ${timecode(line.start_ms)}`}
        defaultValue={line.text}
        maxLength={500}
        onFocus={() => player?.seek(line.start_ms)}
        onKeyDown={keys}
        onBlur={(event) => {
          const text = event.currentTarget.value.trim()
          if (text === '') event.currentTarget.value = line.text
          else if (text !== line.text) save(line, text)
        }}
        className="field-sizing-content min-w-0 flex-1 resize-none rounded-md border border-transparent bg-transparent px-2 py-1 text-sm transition-colors hover:border-line focus:border-accent focus:bg-raised focus:outline-none"
      />
      {changed && (
        <IconButton
          label={`Back to what was said: ${line.original_text}`}
          onClick={() => save(line, line.original_text)}
        >
          <RotateCcw size={14} />
        </IconButton>
      )}
    </div>
  )
}

// useSave changes the text of a line at once, tells the server, and makes it one step of undo.
function useSave(): (line: CaptionLine, text: string) => void {
  const { project } = useProject()
  const { history } = useHistory()
  const queryClient = useQueryClient()
  return useCallback(
    (line, text) => {
      const { queryKey } = captionLinesQuery(project.uuid, project.active_run_id)
      const change = async (to: string) => {
        await queryClient.cancelQueries({ queryKey })
        queryClient.setQueryData<CaptionLine[]>(queryKey, (lines) =>
          lines?.map((l) => (l.uuid === line.uuid ? { ...l, text: to } : l)),
        )
        await changeCaptionLine(line.uuid, to).finally(() => queryClient.invalidateQueries({ queryKey }))
      }
      void change(text)
        .then(() =>
          history.record(
            'changing a caption',
            () => change(text),
            () => change(line.text),
          ),
        )
        .catch((error: unknown) => toast.error('The caption was not changed', { description: messageOf(error) }))
    },
    [project.uuid, project.active_run_id, history, queryClient],
  )
}

// Anew builds the lines again with another number of words; what was changed in them would be lost, so that it asks.
function Anew({ lines }: { lines: CaptionLine[] }) {
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
      .catch((error: unknown) => toast.error('The captions were not built anew', { description: messageOf(error) }))
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
        label="Length of the lines"
        bare
        value={words}
        options={LENGTHS}
        onChange={(e) => setWords(e.currentTarget.value)}
      />
      <Button size="sm" disabled={busy} onClick={() => (changed > 0 ? setAsking(true) : build())}>
        Build anew
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Build the captions anew?"
        yes="Build anew"
        onConfirm={build}
      >
        {count(changed, 'changed line')} will be lost. This cannot be undone.
      </Confirm>
    </div>
  )
}
