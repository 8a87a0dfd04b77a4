import { Film, Loader, Pause, Play, RectangleVertical, Scissors, VolumeX, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { loadRoomTone } from '../../api/clips'
import { playerText as text } from '../../text/editor/player'
import { Button } from '../../ui/Button'
import { Progress } from '../../ui/Progress'
import { Tip } from '../../ui/Tip'
import { useToastsIn } from '../../ui/Toasts'
import { CommandButton } from '../commands/CommandButton'
import { leaveFullscreen } from '../commands/playbackActions'
import { useCommand } from '../commands/useCommand'
import { useEdits, useLayout, useMedia, usePlayer, usePlayerHandle, useProject, useSegments } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useShownShort } from '../state/useShownShort'
import { timecode } from '../plan/timecode'
import type { RoomToneSource } from '../decks/mutedAudio'
import { editedTime, segmentEnd } from '../plan/playback'
import { Player, type PlayerState } from '../decks/player'
import { FramingLayer } from './FramingLayer'
import { OverlayHandles } from './OverlayHandles'
import { Stage } from './Stage'
import { usePlayerState, usePosition } from '../state/usePosition'
import { ViewMenu, Volume } from './ViewMenu'

const roomTone: RoomToneSource = (clip, { startMs, endMs }) => loadRoomTone(clip, startMs, endMs)

/** The preview and its transport controls. */
export function PlayerPane() {
  const { ready, layout } = useLayout()
  const { playing, muted } = useSegments()
  const { address } = useMedia()
  const { setPlayer, player } = usePlayerHandle()
  const a = useRef<HTMLVideoElement>(null)
  const b = useRef<HTMLVideoElement>(null)
  const freezeFrame = useRef<HTMLCanvasElement>(null)
  const state = usePlayerState()
  const frame = useRef<HTMLDivElement>(null)
  useToastsIn(frame)
  const fullscreen = useFullscreen()

  useEffect(() => {
    const made = new Player([a.current!, b.current!], freezeFrame.current!, address, roomTone)
    setPlayer(made)
    return () => {
      setPlayer(null)
      made.close()
    }
  }, [address, setPlayer])

  useEffect(() => {
    player?.setSequence({ clips: ready.map((c) => c.uuid), layout, segments: playing, muted })
  }, [player, ready, layout, playing, muted])

  return (
    <section
      aria-label={text.title}
      className={`flex min-h-0 min-w-0 flex-1 flex-col ${fullscreen ? 'fixed inset-0 z-30 bg-canvas' : ''}`}
    >
      <div
        ref={frame}
        className={`relative flex min-h-0 flex-1 items-center justify-center overflow-hidden [container-type:size] ${fullscreen ? 'bg-black' : 'bg-canvas'}`}
      >
        <div className={ready.length === 0 ? 'hidden' : 'contents'}>
          <Stage decks={[a, b]} freezeFrame={freezeFrame} state={state} />
        </div>
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          className="absolute inset-0 cursor-default"
          onClick={() => player?.toggle()}
        />
        {ready.length > 0 && <OverlayHandles />}
        {ready.length > 0 && <FramingLayer />}
        <CutBadge />
        <ShortBadge />
        {state.waiting && !state.error && <Waiting />}
        {ready.length === 0 && <Placeholder />}
        {state.error && (
          <div
            role="alert"
            className="absolute inset-x-6 bottom-6 flex items-center gap-4 rounded-lg bg-black/80 p-4 text-sm text-[#fff]"
          >
            <span className="flex-1">{state.error}</span>
            <Button size="sm" onClick={() => player?.retry()}>
              {text.tryAgain}
            </Button>
          </div>
        )}
      </div>
      <Transport state={state} />
    </section>
  )
}

// useFullscreen is whether the player fills the screen. Escape leaves, unless a menu or dialog is open.
function useFullscreen(): boolean {
  const fullscreen = useEditorStore((s) => s.fullscreen)
  useEffect(() => {
    if (!fullscreen) return
    const onChange = () => {
      if (!document.fullscreenElement) leaveFullscreen()
    }

    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('[role=dialog], [role=menu]'))
        return
      event.stopPropagation()
      leaveFullscreen()
    }

    document.addEventListener('fullscreenchange', onChange)
    window.addEventListener('keydown', onKey, { capture: true })
    return () => {
      document.removeEventListener('fullscreenchange', onChange)
      window.removeEventListener('keydown', onKey, { capture: true })
    }
  }, [fullscreen])

  useEffect(() => leaveFullscreen, [])
  return fullscreen
}

// Placeholder fills the preview until a clip is ready.
function Placeholder() {
  const { clips } = useProject()
  const processing = clips.filter((c) => c.status === 'processing').length
  return (
    <div className="relative flex w-72 flex-col items-center gap-3 text-center text-sm text-muted" role="status">
      <Film size={32} className="opacity-60" aria-hidden />
      {processing > 0 ? (
        <>
          <p>{text.processing(processing)}</p>
          <Progress value={null} label={text.processingLabel} className="w-full" />
        </>
      ) : (
        <p>{text.nothingToPlay}</p>
      )}
    </div>
  )
}

// Waiting covers the middle of the preview while the video loads or stands. A short wait stays invisible.
function Waiting() {
  return (
    <span
      role="status"
      aria-label={text.waiting}
      className="late pointer-events-none absolute inset-0 m-auto flex size-12 items-center justify-center rounded-full bg-black/75 text-[#fff]"
    >
      <Loader size={24} className="animate-spin [animation-duration:2s]" aria-hidden />
    </span>
  )
}

// CutBadge marks footage in the preview that is not in the result, and footage that plays muted.
function CutBadge() {
  const { edited, muted } = useSegments()
  const { totalMs } = useLayout()
  const player = usePlayer()
  const mute = useRef<HTMLSpanElement>(null)
  const badge = useRef<HTMLSpanElement>(null)
  usePosition((ms) => {
    const kept = player?.atEnd() || edited.some((s) => ms >= s.startMs - 0.5 && ms < segmentEnd(s))
    const cut = totalMs > 0 && ms < totalMs && !kept
    badge.current?.classList.toggle('hidden', !cut)
    mute.current?.classList.toggle('hidden', cut || !muted.some((s) => ms >= s.startMs && ms < s.endMs))
  })

  return (
    <>
      <span ref={badge} className={marksFootage}>
        <Scissors size={12} aria-hidden /> {text.cutBadge}
      </span>
      <span ref={mute} className={marksFootage}>
        <VolumeX size={12} aria-hidden /> {text.muteBadge}
      </span>
    </>
  )
}

// ShortBadge names the short whose shape and captions the preview has, and leaves it.
function ShortBadge() {
  const short = useShownShort()
  const { select } = useEditorStore.getState()
  if (!short) return null
  return (
    <button
      type="button"
      title={text.leaveShort}
      onClick={() => select(null)}
      className={`${badgeStyle} right-3 flex max-w-1/2 hover:bg-black phone:h-10`}
      data-testid="shown-short"
    >
      <RectangleVertical size={12} className="shrink-0" aria-hidden />
      <span dir="auto" className="truncate">
        {text.short(short.name)}
      </span>
      <X size={12} className="shrink-0" aria-hidden />
    </button>
  )
}

const badgeStyle =
  'absolute top-3 items-center gap-1.5 rounded-md bg-black/75 px-2 py-1 text-xs font-medium text-[#fff]'

const marksFootage = `${badgeStyle} pointer-events-none left-3 hidden [&:not(.hidden)]:flex`

function Transport({ state }: { state: PlayerState }) {
  const skipCuts = useEditorStore((s) => s.skipCuts)
  const [play, skip] = [useCommand('play'), useCommand('skip')]
  return (
    <div className="@container flex h-12 shrink-0 items-center gap-1 border-t border-line bg-surface px-3">
      <Clock />
      <div className="mx-auto flex items-center gap-1">
        <button
          type="button"
          aria-label={state.playing ? text.pause : text.play}
          data-play
          disabled={!play.enabled}
          onClick={play.run}
          className="inline-flex size-9 items-center justify-center rounded-full bg-ink text-canvas transition-transform hover:scale-105 disabled:opacity-35"
        >
          {state.playing ? (
            <Pause size={16} fill="currentColor" />
          ) : (
            <Play size={16} fill="currentColor" className="ml-0.5" />
          )}
        </button>
        <span
          className={`w-8 text-xs font-semibold text-accent @max-lg:hidden ${state.playing && state.speed !== 1 ? '' : 'invisible'}`}
        >
          {text.rate(state.speed)}
        </span>
      </div>
      <Volume />
      <ViewMenu />
      <CommandButton name="fullscreen" />
      <Tip text={skipCuts ? text.skipsCutsHint : text.playsAllHint} keys={skip.keys}>
        <button
          type="button"
          role="switch"
          aria-checked={skipCuts}
          onClick={skip.run}
          aria-label={skipCuts ? text.skipsCuts : text.playsAll}
          className={`inline-flex h-8 w-8 shrink-0 items-center @2xl:w-28 justify-center gap-2 rounded-md text-xs font-medium transition-colors ${skipCuts ? 'bg-accent-soft text-accent' : 'bg-raised text-muted hover:text-ink'}`}
        >
          <Scissors size={14} aria-hidden />{' '}
          <span className="@max-2xl:hidden">{skipCuts ? text.skipsCuts : text.playsAll}</span>
        </button>
      </Tip>
    </div>
  )
}

// Clock shows the position in the recording and the corresponding position in the result.
function Clock() {
  const { edited } = useSegments()
  const { totalMs } = useLayout()
  const { totals, loaded } = useEdits()
  const position = useRef<HTMLSpanElement>(null)
  const result = useRef<HTMLSpanElement>(null)
  usePosition((ms) => {
    if (position.current) position.current.textContent = timecode(ms)
    if (result.current) result.current.textContent = timecode(editedTime(edited, ms))
  })

  return (
    <div className="text-xs leading-4 whitespace-nowrap @2xl:w-44">
      <div>
        <span ref={position} data-testid="position" className="font-semibold text-ink">
          0:00.00
        </span>
        <span className="text-faint @max-lg:hidden"> / {timecode(totalMs)}</span>
      </div>
      <div className={loaded ? 'text-faint' : 'invisible'}>
        <span className="@max-2xl:hidden">{text.afterCuts} </span>
        <span ref={result}>0:00.00</span> <span className="@max-lg:hidden">/ {timecode(totals.resultMs)}</span>
      </div>
    </div>
  )
}
