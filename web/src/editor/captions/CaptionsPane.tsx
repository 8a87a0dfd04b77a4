import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { captionLinesQuery, type CaptionLine } from '../../api/captions'
import { messageOf } from '../../api/client'
import { captionsText as text } from '../../text/editor/captions'
import { Button } from '../../ui/Button'
import { FOCUS_CAPTION, type CaptionFocus } from '../commands/captionActions'
import { activeSpans } from '../edits/cuts'
import { useScrollMemory } from '../../ui/useScrollMemory'
import { useCaptionLines, useEdits, useProject, useWords } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { CaptionFind } from './CaptionFind'
import { CaptionRow } from './CaptionRow'
import { CaptionTools } from './CaptionTools'
import { removedParts } from '../edits/removedParts'

const ROW = 46

/** The caption lines with editable texts and times; edits do not change the transcript. */
export function CaptionsPane() {
  const { project } = useProject()
  const { lines } = useCaptionLines()
  const find = useEditorStore((s) => s.findCaption)
  const { error, isLoading, refetch } = useQuery(captionLinesQuery(project.uuid, project.active_run_id))
  const shown = useMemo(() => linesContaining(lines, find), [lines, find])
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

  if (isLoading)
    return (
      <div className="space-y-2 p-3">
        {[0, 1, 2, 3].map((i) => (
          <div key={i} className="skeleton h-12" />
        ))}
      </div>
    )
  return (
    <>
      {find !== null && <CaptionFind find={find} matches={shown.length} />}
      {lines.length === 0 ? <p className="flex-1 p-4 text-sm text-muted">{text.noSpeech}</p> : <Lines lines={shown} />}
      <CaptionTools />
    </>
  )
}

// linesContaining is the lines that contain a text, without regard to case; all lines for no text.
function linesContaining(lines: readonly CaptionLine[], find: string | null): readonly CaptionLine[] {
  const wanted = find?.trim().toLowerCase()
  return wanted ? lines.filter((l) => l.text.toLowerCase().includes(wanted)) : lines
}

function Lines({ lines }: { lines: readonly CaptionLine[] }) {
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
  useFocusRequests((uuid) => {
    const index = lines.findIndex((l) => l.uuid === uuid)
    if (index < 0) return false
    rows.scrollToIndex(index, { align: 'auto' })
    return true
  })

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
            <CaptionRow line={lines[row.index]!} removed={removed[row.index]!} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Frames until a line that was asked for is given up: a new line comes with a response. */
const FOCUS_FRAMES = 60

// useFocusRequests focuses the field of a line that a command names, once reveal has scrolled it into view.
function useFocusRequests(reveal: (uuid: string) => boolean): void {
  const tryReveal = useEffectEvent(reveal)
  useEffect(() => {
    let frame = 0
    const focus = (to: CaptionFocus, left: number) => {
      const field = document.querySelector<HTMLElement>(`[data-caption-line="${to.uuid}"] ${to.field}`)
      if (field && tryReveal(to.uuid)) return field.focus()
      tryReveal(to.uuid)
      if (left > 0) frame = requestAnimationFrame(() => focus(to, left - 1))
    }

    const onRequest = (event: Event) => {
      cancelAnimationFrame(frame)
      if (event instanceof CustomEvent) focus(event.detail as CaptionFocus, FOCUS_FRAMES)
    }

    window.addEventListener(FOCUS_CAPTION, onRequest)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener(FOCUS_CAPTION, onRequest)
    }
  }, [])
}
