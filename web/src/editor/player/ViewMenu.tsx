import {
  Crosshair,
  Move,
  Proportions,
  RectangleHorizontal,
  RectangleVertical,
  Square,
  Volume2,
  VolumeX,
} from 'lucide-react'
import { Popover } from 'radix-ui'
import { useEffect, useState } from 'react'
import { playerText as text } from '../../text/editor/player'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { useExportOptions, type ExportOptions } from '../state/exportOptions'
import { usePlayer } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { useShownShort } from '../state/useShownShort'
import { CommandButton } from '../commands/CommandButton'
import { useFaces } from './faces'
import { useCaptionsShown } from './usePreview'

const ASPECT_ICONS = { source: Proportions, '16:9': RectangleHorizontal, '9:16': RectangleVertical, '1:1': Square }
/** Playback speeds to choose from. */
const RATES = [0.5, 1, 1.25, 1.5, 2].map((r) => ({ value: String(r), label: text.rate(r) }))

const PUNCH_INS = [100, 110, 115, 125]

// punchIns are the enlargements to choose from, with the current one.
const punchIns = (current: number) =>
  [...new Set([...PUNCH_INS, current])]
    .sort((a, b) => a - b)
    .map((p) => ({ value: String(p), label: p === 100 ? text.off : text.percent(p) }))

const startFraming = (framing: 'point' | 'crop') => useEditorStore.getState().set({ framing })

/** Options of the preview: captions, the frame of the next export, and the playback speed. */
export function ViewMenu() {
  const player = usePlayer()
  const { options, change } = useExportOptions()
  const [rate, setRate] = useState('1')
  useEffect(() => player?.setRate(Number(rate)), [player, rate])
  const Icon = ASPECT_ICONS[options.aspect_ratio]
  const captions = useCaptionsShown()
  const short = useShownShort()
  return (
    <>
      <Popover.Root>
        <Popover.Trigger
          aria-label={text.options}
          data-view-menu
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <Icon size={16} aria-hidden />
        </Popover.Trigger>
        <PopoverPanel
          side="top"
          aria-label={text.options}
          onCloseAutoFocus={(event) => useEditorStore.getState().framing && event.preventDefault()}
          className="flex max-h-(--radix-popover-content-available-height) w-80 flex-col gap-4 overflow-y-auto p-4"
        >
          <Switch
            label={text.showCaptions}
            checked={captions}
            onChange={(shown) => useEditorStore.getState().set({ captions: shown })}
          />
          <Choice label={text.speed} value={rate} onChange={setRate} options={RATES} />
          <Frame />
          <p className="-mb-2 border-t border-line pt-3 text-xs text-muted">{text.optionsHint(short?.name ?? null)}</p>
          <Choice
            label={text.aspectRatio}
            value={options.aspect_ratio}
            onChange={(aspect_ratio: ExportOptions['aspect_ratio']) => change({ aspect_ratio })}
            options={[
              { value: 'source', label: text.asRecorded },
              { value: '16:9', label: '16:9' },
              { value: '9:16', label: '9:16' },
              { value: '1:1', label: '1:1' },
            ]}
          />
          <Choice
            label={text.fit}
            value={options.fit}
            onChange={(fit: ExportOptions['fit']) => change({ fit })}
            options={[
              { value: 'letterbox', label: text.letterbox },
              { value: 'crop', label: text.crop },
            ]}
          />
          {options.fit === 'crop' && (
            <Popover.Close asChild>
              <Button size="sm" className="-mt-2 self-start" onClick={() => startFraming('crop')}>
                <Move size={14} aria-hidden /> {text.moveCrop}
              </Button>
            </Popover.Close>
          )}
          <Choice
            label={text.punchIn}
            value={String(options.punch_in.scale_percent)}
            onChange={(scale) => change({ punch_in: { ...options.punch_in, scale_percent: Number(scale) } })}
            options={punchIns(options.punch_in.scale_percent)}
          />
          <PunchInFields />
          <Switch
            label={text.mirror}
            checked={options.video_flip_h}
            onChange={(video_flip_h) => change({ video_flip_h })}
          />
        </PopoverPanel>
      </Popover.Root>
    </>
  )
}

// Frame goes to the frames next to the current one, and saves it.
const Frame = () => (
  <div role="group" aria-label={text.frame} className="flex items-center gap-1 text-sm font-medium">
    <span className="flex-1">{text.frame}</span>
    <CommandButton name="frameBack" />
    <CommandButton name="frameOn" />
    <CommandButton name="still" />
  </div>
)

// PunchInFields holds what a punch-in offers further: how it changes, and what keeps its place.
function PunchInFields() {
  const punchIn = useExportOptions((s) => s.options.punch_in)
  const change = useExportOptions((s) => s.change)
  const faces = useFaces()
  if (punchIn.scale_percent === 100 && punchIn.joins.length === 0) return null
  return (
    <div className="-mt-2 flex flex-col gap-3">
      <Switch
        label={text.ease}
        hint={text.easeHint}
        checked={punchIn.ease}
        onChange={(ease) => change({ punch_in: { ...punchIn, ease } })}
      />
      <Choice
        label={text.center}
        value={punchIn.center}
        onChange={(center: 'face' | 'point') => change({ punch_in: { ...punchIn, center } })}
        options={[
          { value: 'face', label: faces.size > 0 || punchIn.center === 'point' ? text.face : text.middle },
          { value: 'point', label: text.ownPoint },
        ]}
      />
      <Popover.Close asChild>
        <Button size="sm" className="self-start" onClick={() => startFraming('point')}>
          <Crosshair size={14} aria-hidden /> {text.movePoint}
        </Button>
      </Popover.Close>
    </div>
  )
}

/** The volume of the preview; exports keep theirs. */
export function Volume() {
  const player = usePlayer()
  const [volume, setVolume] = useState(100)
  useEffect(() => player?.setVolume(volume / 100), [player, volume])
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={text.volume}
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        {volume === 0 ? <VolumeX size={16} aria-hidden /> : <Volume2 size={16} aria-hidden />}
      </Popover.Trigger>
      <PopoverPanel side="top" align="center" aria-label={text.volume} className="flex w-48 p-3">
        <Slider compact label={text.previewVolume} value={volume} meaning={text.percent(volume)} onChange={setVolume} />
      </PopoverPanel>
    </Popover.Root>
  )
}
