import { useMutation, useQuery } from '@tanstack/react-query'
import { Music, Pause, Play, Scissors, X } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { assetURLQuery, editAsset, type Asset, type AssetEdit } from '../api/assets'
import { messageOf } from '../api/client'
import { timecode } from '../editor/plan/timecode'
import { commonText } from '../text/common'
import { duration } from '../text/format'
import { libraryText } from '../text/library'
import { Button, IconButton } from '../ui/Button'
import { Choice } from '../ui/Choice'
import { Dialog } from '../ui/Dialog'
import { Switch } from '../ui/Switch'
import { stopLoading } from '../ui/stopLoading'
import {
  cutsInside,
  editOf,
  isWhole,
  durationOf,
  wholeOf,
  withCut,
  withEnd,
  withoutCut,
  withStart,
  type Trim,
} from './trim'
import { TrimTrack } from './TrimTrack'
import { useRefreshLibrary } from './useAssets'
import { usePeaks } from './usePeaks'
import { usePlayback } from './usePlayback'

/** Trims a video or audio asset. */
export function TrimDialog({ asset, onClose }: { asset: Asset | null; onClose: () => void }) {
  return (
    <Dialog
      open={asset !== null}
      onOpenChange={(open) => !open && onClose()}
      title={libraryText.trimTitle(asset?.display_name ?? '')}
      wide
    >
      {asset && asset.duration_ms !== null && (
        <Trimmer key={asset.uuid} asset={asset} durationMs={asset.duration_ms} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Trimmer({ asset, durationMs, onClose }: { asset: Asset; durationMs: number; onClose: () => void }) {
  const [trim, setTrim] = useState(() => wholeOf(durationMs))
  const [cutFrom, setCutFrom] = useState<number | null>(null)
  const media = useRef<HTMLVideoElement>(null)
  useEffect(() => stopLoading(media.current), [])
  const address = useQuery(assetURLQuery(asset))
  const peaks = usePeaks(asset)
  const playback = usePlayback(media, trim)
  const { atMs, playing, seek } = playback
  const cut = () => {
    if (cutFrom !== null) setTrim(withCut(trim, cutFrom, atMs, durationMs))
    setCutFrom(cutFrom === null ? atMs : null)
  }

  const move = (ms: number) => seek(Math.min(Math.max(ms, 0), durationMs))
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const onButton = event.target instanceof HTMLButtonElement
    const actions: Record<string, () => void> = {
      ...(onButton ? {} : { ' ': playback.toggle }),
      k: playback.toggle,
      i: () => setTrim(withStart(trim, atMs)),
      o: () => setTrim(withEnd(trim, atMs, durationMs)),
      c: cut,
      ArrowLeft: () => move(atMs - (event.shiftKey ? 1000 : 40)),
      ArrowRight: () => move(atMs + (event.shiftKey ? 1000 : 40)),
    }

    const action = actions[event.key]
    if (!action || event.target instanceof HTMLInputElement) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }

  return (
    <div onKeyDown={keyDown} className="flex flex-col gap-4">
      <div
        className="relative flex items-center justify-center overflow-hidden rounded-lg bg-black"
        style={{ height: asset.kind === 'audio' ? 96 : 'min(26vh, 400px)' }}
      >
        {asset.kind === 'audio' && <Music size={40} className="text-[#a0a9b5]" aria-hidden />}
        <video
          ref={media}
          src={address.data?.url}
          poster={asset.poster_url ?? undefined}
          playsInline
          preload="auto"
          className={asset.kind === 'audio' ? 'hidden' : 'size-full object-contain'}
          onClick={playback.toggle}
          data-bench
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <IconButton
          label={playing ? libraryText.pause : libraryText.playResult}
          keys="Space"
          onClick={playback.toggle}
          disabled={!address.data}
        >
          {playing ? <Pause size={16} /> : <Play size={16} />}
        </IconButton>
        <span className="w-20 text-sm font-medium" data-testid="trim-at">
          {timecode(atMs)}
        </span>
        <Button size="sm" title="I" onClick={() => setTrim(withStart(trim, atMs))}>
          {libraryText.startHere}
        </Button>
        <Button size="sm" title="O" onClick={() => setTrim(withEnd(trim, atMs, durationMs))}>
          {libraryText.endHere}
        </Button>
        <Button size="sm" title="C" variant={cutFrom === null ? 'plain' : 'danger'} onClick={cut}>
          <Scissors size={14} aria-hidden /> {cutFrom === null ? libraryText.cutFromHere : libraryText.cutToHere}
        </Button>
        <p className="ml-auto text-sm" role="status">
          <span className="text-faint">{libraryText.newDuration}</span>{' '}
          <span className="font-semibold" data-testid="trim-length">
            {duration(durationOf(trim))}
          </span>
        </p>
      </div>
      <TrimTrack
        durationMs={durationMs}
        trim={trim}
        peaks={peaks}
        atMs={atMs}
        cutFrom={cutFrom}
        onTrim={setTrim}
        onSeek={seek}
      />
      <Cuts trim={trim} onTrim={setTrim} />
      <Saving asset={asset} trim={trim} durationMs={durationMs} onClose={onClose} />
    </div>
  )
}

function Cuts({ trim, onTrim }: { trim: Trim; onTrim: (trim: Trim) => void }) {
  if (trim.cuts.length === 0) return <p className="text-xs text-faint">{libraryText.trimHelp}</p>
  return (
    <ul aria-label={libraryText.cuts} className="flex flex-wrap gap-1">
      {trim.cuts.map((c, i) => (
        <li key={c.startMs} className="inline-flex h-7 items-center gap-1 rounded-md bg-hover pl-2 text-xs">
          {timecode(c.startMs)} – {timecode(c.endMs)}
          <button
            type="button"
            aria-label={libraryText.removeCut(i + 1)}
            onClick={() => onTrim(withoutCut(trim, i))}
            className="inline-flex size-7 items-center justify-center rounded-sm text-muted hover:text-ink"
          >
            <X size={12} />
          </button>
        </li>
      ))}
    </ul>
  )
}

function Saving({
  asset,
  trim,
  durationMs,
  onClose,
}: {
  asset: Asset
  trim: Trim
  durationMs: number
  onClose: () => void
}) {
  const refresh = useRefreshLibrary()
  const [mode, setMode] = useState<'copy' | 'replace'>('copy')
  const [fast, setFast] = useState(false)
  const [audioOnly, setAudioOnly] = useState(false)
  const save = useMutation({
    mutationFn: (edit: AssetEdit) => editAsset(asset.uuid, edit),
    onSuccess: async () => {
      toast(mode === 'copy' ? libraryText.savingCopy(asset.display_name) : libraryText.replacing(asset.display_name))
      await refresh()
      onClose()
    },
  })

  const nothing = isWhole(trim, durationMs) && !audioOnly
  const cuts = cutsInside(trim).length
  return (
    <>
      <div className="grid gap-4 border-t border-line pt-4 sm:grid-cols-2">
        <Choice
          label={libraryText.saveAs}
          value={mode}
          onChange={setMode}
          options={[
            { value: 'copy', label: libraryText.saveModes.copy },
            { value: 'replace', label: libraryText.saveModes.replace },
          ]}
        />
        <div className="flex flex-col gap-3">
          {asset.kind === 'video' && (
            <Switch label={libraryText.audioOnly} checked={audioOnly} onChange={setAudioOnly} />
          )}
          {asset.kind === 'video' && !audioOnly && (
            <Switch label={libraryText.fast} hint={libraryText.fastHelp} checked={fast} onChange={setFast} />
          )}
        </div>
      </div>
      {mode === 'replace' && <p className="text-xs text-muted">{libraryText.replaceHelp}</p>}
      {save.isError && (
        <p role="alert" className="text-sm text-danger first-letter:uppercase">
          {messageOf(save.error)}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        <span className="mr-auto text-xs text-faint">
          {nothing
            ? libraryText.nothingRemoved
            : cuts > 0
              ? libraryText.removedWithCuts(cuts, duration(durationMs - durationOf(trim)))
              : libraryText.removed(duration(durationMs - durationOf(trim)))}
        </span>
        <Button onClick={onClose}>{commonText.cancel}</Button>
        <Button
          variant="primary"
          disabled={nothing || save.isPending}
          onClick={() =>
            save.mutate({
              ...editOf(trim, durationMs),
              save_mode: mode,
              extract_audio: audioOnly,
              fast_mode: fast && !audioOnly && asset.kind === 'video',
            })
          }
        >
          {mode === 'copy' ? libraryText.saveCopy : libraryText.replace}
        </Button>
      </div>
    </>
  )
}
