import { useRef, type CSSProperties, type KeyboardEvent, type PointerEvent } from 'react'
import { timecode } from '../editor/plan/timecode'
import { libraryText } from '../text/library'
import { withCutBound, withEnd, withoutCut, withStart, type Trim } from './trim'

const CUT_COLOR = { '--kind': 'var(--manual)' } as CSSProperties

interface TrimTrackProps {
  durationMs: number
  trim: Trim
  peaks: number[] | undefined
  atMs: number
  /** The start of an unfinished cut, in milliseconds. */
  cutFrom: number | null
  onTrim: (trim: Trim) => void
  onSeek: (ms: number) => void
}

/** The timeline of an asset with handles for the kept range and the cuts. */
export function TrimTrack({ durationMs, trim, peaks, atMs, cutFrom, onTrim, onSeek }: TrimTrackProps) {
  const track = useRef<HTMLDivElement>(null)
  const share = (ms: number) => `${(100 * ms) / durationMs}%`
  const msAt = (event: PointerEvent) => {
    const { left, width } = track.current!.getBoundingClientRect()
    return Math.min(Math.max((event.clientX - left) / width, 0), 1) * durationMs
  }

  const scrub = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId)
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(msAt(event))
  }

  const handle = { durationMs, msAt, share }
  return (
    <div className="select-none">
      <div
        ref={track}
        className="relative h-20 touch-none rounded-md bg-film"
        onPointerDown={scrub}
        onPointerMove={scrub}
        data-track
      >
        {peaks && <Wave peaks={peaks} />}
        <div className="absolute inset-y-0 left-0 rounded-l-md bg-canvas/80" style={{ width: share(trim.startMs) }} />
        <div
          className="absolute inset-y-0 right-0 rounded-r-md bg-canvas/80"
          style={{ width: share(durationMs - trim.endMs) }}
        />
        <div
          className="pointer-events-none absolute inset-y-0 border-y-2 border-accent"
          style={{ left: share(trim.startMs), width: share(trim.endMs - trim.startMs) }}
        />
        {trim.cuts.map((cut, i) => (
          <div
            key={i}
            className="pattern-lines swatch pointer-events-none absolute inset-y-0"
            style={{ ...CUT_COLOR, left: share(cut.startMs), width: share(cut.endMs - cut.startMs) }}
            data-cut-mark
          />
        ))}
        {cutFrom !== null && (
          <div
            className="pattern-lines swatch pointer-events-none absolute inset-y-0 opacity-60"
            style={{ ...CUT_COLOR, left: share(Math.min(cutFrom, atMs)), width: share(Math.abs(atMs - cutFrom)) }}
          />
        )}
        <div
          className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-[var(--playhead)]"
          style={{ left: share(atMs) }}
        />
        {trim.cuts.map((cut, i) => (
          <div key={i}>
            <Handle
              {...handle}
              label={libraryText.cutStart(i + 1)}
              value={cut.startMs}
              color="bg-[var(--manual)]"
              onMove={(ms) => onTrim(withCutBound(trim, i, 'startMs', ms, durationMs))}
              onRemove={() => onTrim(withoutCut(trim, i))}
            />
            <Handle
              {...handle}
              label={libraryText.cutEnd(i + 1)}
              value={cut.endMs}
              color="bg-[var(--manual)]"
              onMove={(ms) => onTrim(withCutBound(trim, i, 'endMs', ms, durationMs))}
              onRemove={() => onTrim(withoutCut(trim, i))}
            />
          </div>
        ))}
        <Handle
          {...handle}
          label={libraryText.start}
          value={trim.startMs}
          color="bg-accent"
          onMove={(ms) => onTrim(withStart(trim, ms))}
        />
        <Handle
          {...handle}
          label={libraryText.end}
          value={trim.endMs}
          color="bg-accent"
          onMove={(ms) => onTrim(withEnd(trim, ms, durationMs))}
        />
      </div>
      <div className="mt-1 flex justify-between text-xs text-faint" aria-hidden>
        <span>{timecode(0)}</span>
        <span>{timecode(durationMs)}</span>
      </div>
    </div>
  )
}

interface HandleProps {
  label: string
  value: number
  durationMs: number
  color: string
  msAt: (event: PointerEvent) => number
  share: (ms: number) => string
  onMove: (ms: number) => void
  onRemove?: () => void
}

// Steps by key, in milliseconds.
const STEPS: Record<string, number> = {
  ArrowLeft: -100,
  ArrowDown: -100,
  ArrowRight: 100,
  ArrowUp: 100,
  PageDown: -1000,
  PageUp: 1000,
}

function Handle({ label, value, durationMs, color, msAt, share, onMove, onRemove }: HandleProps) {
  const keyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step !== undefined) onMove(value + step * (event.shiftKey ? 10 : 1))
    else if (event.key === 'Home') onMove(0)
    else if (event.key === 'End') onMove(durationMs)
    else if ((event.key === 'Delete' || event.key === 'Backspace') && onRemove) onRemove()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={durationMs}
      aria-valuenow={value}
      aria-valuetext={timecode(value)}
      onKeyDown={keyDown}
      onPointerDown={(e) => {
        e.stopPropagation()
        e.currentTarget.setPointerCapture(e.pointerId)
      }}
      onPointerMove={(e) => {
        e.stopPropagation()
        if (e.currentTarget.hasPointerCapture(e.pointerId)) onMove(msAt(e))
      }}
      className="absolute inset-y-0 z-1 flex w-6 -translate-x-1/2 cursor-ew-resize touch-none items-center justify-center rounded-sm outline-offset-0"
      style={{ left: share(value) }}
    >
      <span className={`h-full w-1.5 rounded-full ${color}`} />
    </div>
  )
}

function Wave({ peaks }: { peaks: number[] }) {
  const bar = (peak: number, i: number) => `M${i + 0.5} ${50 - 46 * peak}V${50 + 46 * peak}`
  return (
    <svg
      viewBox={`0 0 ${peaks.length} 100`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full"
      aria-hidden
      data-wave
    >
      <path d={peaks.map(bar).join('')} stroke="var(--wave)" strokeWidth="0.7" fill="none" />
    </svg>
  )
}
