import { Captions, RectangleHorizontal, RectangleVertical, Square, Volume2, VolumeX } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useEffect, useState } from 'react'
import { IconButton } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { menuClass } from '../../ui/menu'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { useExportOptions, type ExportOptions } from '../export/exportOptions'
import { usePlayer } from '../state/contexts'

const SHAPES = { '16:9': RectangleHorizontal, '9:16': RectangleVertical, '1:1': Square }
const RATES = [0.5, 1, 1.25, 1.5, 2].map((r) => ({ value: String(r), label: `${r}×` }))

/** What the preview shows: the shape and fit of the next export, its captions, and how fast it plays. */
export function ViewMenu() {
  const player = usePlayer()
  const { options, change } = useExportOptions()
  const [rate, setRate] = useState('1')
  useEffect(() => player?.setRate(Number(rate)), [player, rate])
  const Icon = SHAPES[options.aspect_ratio]
  const captions = options.captions.enabled
  return (
    <>
      <IconButton
        label={captions ? 'Hide captions' : 'Show captions'}
        pressed={captions}
        onClick={() => change({ captions: { ...options.captions, enabled: !captions } })}
      >
        <Captions size={16} />
      </IconButton>
      <Popover.Root>
        <Popover.Trigger
          aria-label="Picture and speed"
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <Icon size={16} aria-hidden />
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            align="end"
            side="top"
            sideOffset={6}
            collisionPadding={8}
            aria-label="Picture and speed"
            className={`${menuClass} flex w-80 flex-col gap-4 p-4`}
          >
            <p className="text-xs text-muted">The preview shows the picture that the next export will have.</p>
            <Choice
              label="Shape"
              value={options.aspect_ratio}
              onChange={(aspect_ratio: ExportOptions['aspect_ratio']) => change({ aspect_ratio })}
              options={[
                { value: '16:9', label: '16:9' },
                { value: '9:16', label: '9:16' },
                { value: '1:1', label: '1:1' },
              ]}
            />
            <Choice
              label="Picture"
              value={options.fit}
              onChange={(fit: ExportOptions['fit']) => change({ fit })}
              options={[
                { value: 'letterbox', label: 'Show all of it' },
                { value: 'crop', label: 'Fill the frame' },
              ]}
            />
            <Switch
              label="Mirror the picture"
              checked={options.video_flip_h}
              onChange={(video_flip_h) => change({ video_flip_h })}
            />
            <Choice label="Speed of playing" value={rate} onChange={setRate} options={RATES} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </>
  )
}

/** How loud the preview is; exports are not affected. */
export function Volume() {
  const player = usePlayer()
  const [volume, setVolume] = useState(100)
  useEffect(() => player?.setVolume(volume / 100), [player, volume])
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label="Volume"
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        {volume === 0 ? <VolumeX size={16} aria-hidden /> : <Volume2 size={16} aria-hidden />}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Volume"
          className={`${menuClass} flex w-48 p-3`}
        >
          <Slider compact label="Volume of the preview" value={volume} meaning={`${volume} %`} onChange={setVolume} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
