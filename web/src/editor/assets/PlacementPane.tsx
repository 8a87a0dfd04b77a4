import { FlipHorizontal2, FlipVertical2, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EditChange, Placement } from '../../api/edits'
import { Button, IconButton } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { timecode } from '../timeline/timecode'
import { formatLength } from '../format'
import { useAssetFiles, useEdits, useHistory, useLayout } from '../state/contexts'
import { NumberField } from './NumberField'
import { CENTRES } from './placements'
import { useEditorStore } from '../state/store'
import { CommandButton } from '../commands/CommandButton'
import { useActions } from '../commands/useCommand'
import { Toggle } from '../shell/Toggle'

const VISUAL = [
  { value: 'overlay', label: 'Overlay', hint: 'Over the recording, in a part of the frame' },
  { value: 'cutaway', label: 'Cutaway', hint: 'Fills the frame; the sound of the recording goes on' },
  { value: 'none', label: 'Hidden', hint: 'Only its sound is used' },
] as const
const SOUND = [
  { value: 'mute', label: 'Silent', hint: 'The asset is not heard' },
  { value: 'mix', label: 'Mixed in', hint: 'Heard together with the recording' },
  { value: 'replace', label: 'Instead', hint: 'The recording is silent meanwhile' },
] as const
const POSITIONS: readonly (readonly [keyof typeof CENTRES, string])[] = [
  ['top_left', 'Top left'],
  ['top', 'Top'],
  ['top_right', 'Top right'],
  ['left', 'Left'],
  ['center', 'Middle'],
  ['right', 'Right'],
  ['bottom_left', 'Bottom left'],
  ['bottom', 'Bottom'],
  ['bottom_right', 'Bottom right'],
]

/** Everything about the selected placed asset. */
export function PlacementPane() {
  const { placements } = useEdits()
  const selected = useEditorStore((s) => s.selected)
  const placement = placements.find((p) => p.uuid === selected)
  if (!placement)
    return (
      <p className="p-6 text-center text-sm text-muted">
        Select an asset on the timeline to see where it is, how it looks and how it sounds. “Assets” on the left has
        those of your library.
      </p>
    )
  return <Inspector key={placement.uuid} placement={placement} />
}

function Inspector({ placement: p }: { placement: Placement }) {
  const assets = useAssetFiles()
  const { history } = useHistory()
  const { totalMs } = useLayout()
  const { toggle } = useActions()
  const asset = assets.get(p.asset_file_id)
  const set = (label: string) => (to: EditChange) => history.perform(label, { change: [{ uuid: p.uuid, to }] })
  const seen = asset?.kind !== 'audio'
  const heard = asset?.kind !== 'image'
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4" tabIndex={-1}>
      <div className="flex items-center gap-3">
        {asset?.poster_url && (
          <img src={asset.poster_url} alt="" className="h-10 w-16 rounded-sm bg-raised object-cover" />
        )}
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-sm font-semibold">{asset?.display_name ?? 'Asset'}</h2>
          <p className="text-xs text-faint">
            {timecode(p.start_ms)} to {timecode(p.end_ms)}, {formatLength(p.end_ms - p.start_ms)}
          </p>
        </div>
        <Toggle label="Placed" checked={p.active} onChange={() => toggle(p)} focusable />
        <CommandButton name="delete" icon={Trash2} label="Remove from the timeline" />
      </div>
      {p.reason && <p className="-mt-2 text-xs text-muted">{p.reason}</p>}
      <Group name="Time">
        <div className="grid grid-cols-2 gap-3">
          <NumberField
            label="Start"
            unit="s"
            scale={1000}
            value={p.start_ms}
            min={0}
            max={p.end_ms - 20}
            onChange={(start_ms) => set('moving an asset')({ start_ms })}
          />
          <NumberField
            label="End"
            unit="s"
            scale={1000}
            value={p.end_ms}
            min={p.start_ms + 20}
            max={totalMs}
            onChange={(end_ms) => set('moving an asset')({ end_ms })}
          />
          {asset?.duration_ms !== null && (
            <NumberField
              label="Begins in the file at"
              unit="s"
              scale={1000}
              value={p.asset_offset_ms}
              min={0}
              max={asset?.duration_ms ?? 0}
              onChange={(asset_offset_ms) => set('where an asset begins')({ asset_offset_ms })}
            />
          )}
        </div>
      </Group>
      {seen && <Look placement={p} set={set} hideable={heard} />}
      {heard && <Sound placement={p} set={set} />}
    </div>
  )
}

interface PartProps {
  placement: Placement
  set: (label: string) => (to: EditChange) => void
}

function Look({ placement: p, set, hideable }: PartProps & { hideable: boolean }) {
  return (
    <Group name="Picture">
      <Choice
        label="Shown as"
        value={p.visual_mode}
        options={hideable ? VISUAL : VISUAL.slice(0, 2)}
        onChange={(visual_mode) => set('how an asset is shown')({ visual_mode })}
      />
      {p.visual_mode === 'overlay' && (
        <>
          <Position placement={p} set={set} />
          <div className="grid grid-cols-2 gap-3">
            <NumberField
              label="Width"
              unit="%"
              value={p.overlay_size_percent}
              min={1}
              max={100}
              onChange={(overlay_size_percent) => set('the size of an asset')({ overlay_size_percent })}
            />
            <NumberField
              label="Turned by"
              unit="°"
              value={p.overlay_rotation_deg}
              min={-180}
              max={180}
              onChange={(overlay_rotation_deg) => set('turning an asset')({ overlay_rotation_deg })}
            />
          </div>
        </>
      )}
      {p.visual_mode !== 'none' && (
        <div className="flex items-end gap-3">
          <NumberField
            label="Opacity"
            unit="%"
            value={p.overlay_opacity_percent}
            min={0}
            max={100}
            onChange={(overlay_opacity_percent) => set('the opacity of an asset')({ overlay_opacity_percent })}
          />
          <IconButton
            label="Mirror left to right"
            pressed={p.overlay_flip_h}
            onClick={() => set('mirroring an asset')({ overlay_flip_h: !p.overlay_flip_h })}
          >
            <FlipHorizontal2 size={16} />
          </IconButton>
          <IconButton
            label="Mirror top to bottom"
            pressed={p.overlay_flip_v}
            onClick={() => set('mirroring an asset')({ overlay_flip_v: !p.overlay_flip_v })}
          >
            <FlipVertical2 size={16} />
          </IconButton>
        </div>
      )}
    </Group>
  )
}

function Position({ placement: p, set }: PartProps) {
  const custom = p.overlay_position === 'custom'
  const free = () => {
    if (p.overlay_position === 'custom') return
    const [overlay_x, overlay_y] = CENTRES[p.overlay_position]
    set('the position of an asset')({ overlay_position: 'custom', overlay_x, overlay_y })
  }
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Position</legend>
      <div className="flex gap-4">
        <div className="grid grid-cols-3 gap-1 rounded-lg border border-line bg-raised p-1">
          {POSITIONS.map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-label={label}
              title={label}
              aria-pressed={p.overlay_position === value}
              onClick={() => set('the position of an asset')({ overlay_position: value })}
              className="flex h-6 w-8 items-center justify-center rounded-sm hover:bg-hover aria-pressed:bg-accent-soft"
            >
              <span className={`h-2 w-3 rounded-[2px] ${p.overlay_position === value ? 'bg-accent' : 'bg-strong'}`} />
            </button>
          ))}
        </div>
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          {custom ? (
            <>
              <NumberField
                label="Centre across"
                unit="%"
                scale={0.01}
                value={p.overlay_x}
                min={0}
                max={1}
                onChange={(overlay_x) => set('the position of an asset')({ overlay_x })}
              />
              <NumberField
                label="Centre down"
                unit="%"
                scale={0.01}
                value={p.overlay_y}
                min={0}
                max={1}
                onChange={(overlay_y) => set('the position of an asset')({ overlay_y })}
              />
            </>
          ) : (
            <Button size="sm" className="self-start" onClick={free}>
              Place it freely
            </Button>
          )}
        </div>
      </div>
    </fieldset>
  )
}

function Sound({ placement: p, set }: PartProps) {
  return (
    <Group name="Sound">
      <Choice
        label="Heard as"
        value={p.audio_mode}
        options={SOUND}
        onChange={(audio_mode) => set('how an asset is heard')({ audio_mode })}
      />
      {p.audio_mode !== 'mute' && (
        <div className="grid grid-cols-2 items-end gap-3">
          <NumberField
            label="Volume"
            unit="%"
            value={p.audio_volume_percent}
            min={0}
            max={200}
            onChange={(audio_volume_percent) => set('the volume of an asset')({ audio_volume_percent })}
          />
          {p.audio_mode === 'mix' && (
            <label className="flex h-8 items-center gap-2 text-xs">
              <Toggle
                label="Lower the recording meanwhile"
                checked={p.audio_duck_main}
                onChange={() => set('lowering the recording')({ audio_duck_main: !p.audio_duck_main })}
                focusable
              />
              <span aria-hidden>Lower the recording</span>
            </label>
          )}
        </div>
      )}
    </Group>
  )
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="flex flex-col gap-3">
      <h3 className="text-xs font-semibold text-faint">{name}</h3>
      {children}
    </section>
  )
}
