import { ChevronLeft, FlipHorizontal2, FlipVertical2, Trash2 } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import type { EditChange, Placement } from '../../api/edits'
import { AssetThumbnail } from '../../library/AssetThumbnail'
import { assetsText as text } from '../../text/editor/assets'
import { Button, IconButton } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { CommandButton } from '../commands/CommandButton'
import { useActions } from '../commands/useCommand'
import { Switch } from '../../ui/Switch'
import { Toggle } from '../../ui/Toggle'
import { useAssetFiles, useEdits, useHistory, useLayout, usePlayer } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import { NumberField } from './NumberField'
import { CENTERS, changeToMusic, isMusic } from '../edits/placements'

/** The options of a choice from its texts. */
function optionsOf<T extends string>(texts: Record<T, readonly [label: string, hint: string]>) {
  return (Object.keys(texts) as T[]).map((value) => ({ value, label: texts[value][0], hint: texts[value][1] }))
}

const VISUAL_MODES = optionsOf<Placement['visual_mode']>(text.visualModes)
const AUDIO_MODES = optionsOf<Placement['audio_mode']>(text.audioModes)
const POSITIONS = Object.entries(text.positions) as [keyof typeof CENTERS, string][]

/** The longest fade, in milliseconds. */
const MAX_FADE_MS = 10_000

/** The placed assets, in the order of the video. */
export function Placements() {
  const { placements } = useEdits()
  const assets = useAssetFiles()
  const player = usePlayer()
  const { select } = useEditorStore.getState()
  if (placements.length === 0) return null
  return (
    <section className="flex max-h-[45%] shrink-0 flex-col border-b border-line">
      <h2 className="px-4 pt-2 text-xs font-medium text-faint">{text.placed}</h2>
      <ul className="min-h-0 overflow-y-auto p-2 pt-1" aria-label={text.placed}>
        {placements.map((p) => {
          const asset = assets.get(p.asset_file_id)
          return (
            <li key={p.uuid}>
              <button
                type="button"
                className="flex w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-hover"
                onClick={() => {
                  select(p.uuid)
                  player?.seek(p.start_ms)
                }}
              >
                <span className="relative h-8 w-14 shrink-0 overflow-hidden rounded-sm bg-film">
                  {asset && <AssetThumbnail asset={asset} hovered={false} />}
                </span>
                <span className="min-w-0 flex-1">
                  <bdi className="block truncate text-sm font-medium">{asset?.display_name ?? text.asset}</bdi>
                  <span className="block text-xs text-muted">
                    {text.span(timecode(p.start_ms), timecode(p.end_ms), p.end_ms - p.start_ms)}
                    {!p.active && ` · ${text.inactive}`}
                  </span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The options of a placed asset. */
export function PlacementOptions({ placement: p }: { placement: Placement }) {
  const assets = useAssetFiles()
  const { history } = useHistory()
  const { totalMs } = useLayout()
  const { togglePlacement } = useActions()
  const asset = assets.get(p.asset_file_id)
  const set = (label: string) => (to: EditChange) => history.perform(label, { change: [{ uuid: p.uuid, to }] })
  const visible = asset?.kind !== 'audio'
  const audible = asset?.kind !== 'image'
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4" tabIndex={-1}>
      <div className="flex items-center gap-3">
        <IconButton label={text.allPlaced} className="-mx-2" onClick={() => useEditorStore.getState().select(null)}>
          <ChevronLeft size={16} />
        </IconButton>
        {asset?.poster_url && (
          <img src={asset.poster_url} alt="" className="h-10 w-16 rounded-sm bg-raised object-cover" />
        )}
        <div className="min-w-0 flex-1">
          <h2 className="truncate text-sm font-semibold">{asset?.display_name ?? text.asset}</h2>
          <p className="text-xs text-faint">
            {text.span(timecode(p.start_ms), timecode(p.end_ms), p.end_ms - p.start_ms)}
          </p>
        </div>
        <Toggle label={text.active} checked={p.active} onChange={() => togglePlacement(p)} focusable />
        <CommandButton name="delete" icon={Trash2} label={text.remove} />
      </div>
      {p.reason && <p className="-mt-2 text-xs text-muted">{p.reason}</p>}
      {asset?.kind === 'audio' && (
        <Switch
          label={text.music}
          hint={text.musicHint}
          checked={isMusic(p)}
          onChange={(on) => set(text.changes.music)(changeToMusic(p, on, asset.duration_ms, totalMs))}
        />
      )}
      <Group name={text.time}>
        <div className="grid grid-cols-2 gap-3">
          <SecondsField
            label={text.start}
            value={p.start_ms}
            min={0}
            max={p.end_ms - 20}
            onChange={(start_ms) => set(text.changes.move)({ start_ms })}
          />
          <SecondsField
            label={text.end}
            value={p.end_ms}
            min={p.start_ms + 20}
            max={totalMs}
            onChange={(end_ms) => set(text.changes.move)({ end_ms, ...(p.until_end && { until_end: false }) })}
          />
          <SecondsField
            label={text.fadeIn}
            value={p.fade_in_ms}
            min={0}
            max={MAX_FADE_MS}
            onChange={(fade_in_ms) => set(text.changes.fade)({ fade_in_ms })}
          />
          <SecondsField
            label={text.fadeOut}
            value={p.fade_out_ms}
            min={0}
            max={MAX_FADE_MS}
            onChange={(fade_out_ms) => set(text.changes.fade)({ fade_out_ms })}
          />
          {asset?.duration_ms !== null && (
            <LabelledToggle
              name={text.loop}
              label={text.loopLabel}
              checked={p.loop}
              onChange={() => set(text.changes.loop)({ loop: !p.loop })}
            />
          )}
          <LabelledToggle
            name={text.untilEnd}
            label={text.untilEndLabel}
            checked={p.until_end}
            onChange={() =>
              set(text.changes.move)({ until_end: !p.until_end, end_ms: p.until_end ? p.end_ms : totalMs })
            }
          />
          {asset?.duration_ms !== null && (
            <SecondsField
              label={text.offset}
              value={p.asset_offset_ms}
              min={0}
              max={asset?.duration_ms ?? 0}
              onChange={(asset_offset_ms) => set(text.changes.offset)({ asset_offset_ms })}
            />
          )}
        </div>
      </Group>
      {visible && <VideoOptions placement={p} set={set} hideable={audible} />}
      {audible && <AudioOptions placement={p} set={set} />}
    </div>
  )
}

interface PartProps {
  placement: Placement
  set: (label: string) => (to: EditChange) => void
}

function VideoOptions({ placement: p, set, hideable }: PartProps & { hideable: boolean }) {
  return (
    <Group name={text.video}>
      <Choice
        label={text.mode}
        value={p.visual_mode}
        options={hideable ? VISUAL_MODES : VISUAL_MODES.filter((mode) => mode.value !== 'none')}
        onChange={(visual_mode) => set(text.changes.visualMode)({ visual_mode })}
      />
      {p.visual_mode === 'overlay' && (
        <>
          <Position placement={p} set={set} />
          <div className="grid grid-cols-2 gap-3">
            <NumberField
              label={text.width}
              unit={text.percent}
              value={p.overlay_size_percent}
              min={1}
              max={100}
              onChange={(overlay_size_percent) => set(text.changes.size)({ overlay_size_percent })}
            />
            <NumberField
              label={text.rotation}
              unit={text.degrees}
              value={p.overlay_rotation_deg}
              min={-180}
              max={180}
              onChange={(overlay_rotation_deg) => set(text.changes.rotate)({ overlay_rotation_deg })}
            />
          </div>
        </>
      )}
      {p.visual_mode !== 'none' && (
        <div className="flex items-end gap-3">
          <NumberField
            label={text.opacity}
            unit={text.percent}
            value={p.overlay_opacity_percent}
            min={0}
            max={100}
            onChange={(overlay_opacity_percent) => set(text.changes.opacity)({ overlay_opacity_percent })}
          />
          <IconButton
            label={text.flipH}
            pressed={p.overlay_flip_h}
            onClick={() => set(text.changes.flip)({ overlay_flip_h: !p.overlay_flip_h })}
          >
            <FlipHorizontal2 size={16} />
          </IconButton>
          <IconButton
            label={text.flipV}
            pressed={p.overlay_flip_v}
            onClick={() => set(text.changes.flip)({ overlay_flip_v: !p.overlay_flip_v })}
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
    const [overlay_x, overlay_y] = CENTERS[p.overlay_position]
    set(text.changes.position)({ overlay_position: 'custom', overlay_x, overlay_y })
  }

  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{text.position}</legend>
      <div className="flex gap-4">
        <div className="grid grid-cols-3 gap-1 rounded-lg border border-line bg-raised p-1">
          {POSITIONS.map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-label={label}
              title={label}
              aria-pressed={p.overlay_position === value}
              onClick={() => set(text.changes.position)({ overlay_position: value })}
              className="flex h-6 w-8 items-center justify-center rounded-sm hover:bg-hover aria-pressed:bg-accent-soft"
            >
              <span
                className={`h-2 w-3 rounded-[2px] forced-colors:border ${p.overlay_position === value ? 'bg-accent' : 'bg-strong'}`}
              />
            </button>
          ))}
        </div>
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          {custom ? (
            <>
              <NumberField
                label={text.centerX}
                unit={text.percent}
                scale={0.01}
                value={p.overlay_x}
                min={0}
                max={1}
                onChange={(overlay_x) => set(text.changes.position)({ overlay_x })}
              />
              <NumberField
                label={text.centerY}
                unit={text.percent}
                scale={0.01}
                value={p.overlay_y}
                min={0}
                max={1}
                onChange={(overlay_y) => set(text.changes.position)({ overlay_y })}
              />
            </>
          ) : (
            <Button size="sm" className="self-start" onClick={free}>
              {text.customPosition}
            </Button>
          )}
        </div>
      </div>
    </fieldset>
  )
}

function AudioOptions({ placement: p, set }: PartProps) {
  return (
    <Group name={text.audio}>
      <Choice
        label={text.audioMode}
        value={p.audio_mode}
        options={AUDIO_MODES}
        onChange={(audio_mode) => set(text.changes.audioMode)({ audio_mode })}
      />
      {p.audio_mode !== 'mute' && (
        <div className="grid grid-cols-2 items-end gap-3">
          <NumberField
            label={text.volume}
            unit={text.percent}
            value={p.audio_volume_percent}
            min={0}
            max={200}
            onChange={(audio_volume_percent) => set(text.changes.volume)({ audio_volume_percent })}
          />
          {p.audio_mode === 'mix' && (
            <LabelledToggle
              name={text.duck}
              label={text.duckLabel}
              checked={p.audio_duck_main}
              onChange={() => set(text.changes.duck)({ audio_duck_main: !p.audio_duck_main })}
            />
          )}
          {p.audio_mode === 'mix' && (
            <LabelledToggle
              name={text.underVoice}
              label={text.underVoiceLabel}
              checked={p.audio_duck_under_voice}
              onChange={() => set(text.changes.duck)({ audio_duck_under_voice: !p.audio_duck_under_voice })}
            />
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

// SecondsField shows milliseconds as seconds.
function SecondsField(props: Omit<ComponentProps<typeof NumberField>, 'unit' | 'scale'>) {
  return <NumberField unit={text.seconds} scale={1000} {...props} />
}

interface LabelledToggleProps extends Pick<ComponentProps<typeof Toggle>, 'label' | 'checked' | 'onChange'> {
  /** The text next to the switch, shorter than its label. */
  name: string
}

function LabelledToggle({ name, ...toggle }: LabelledToggleProps) {
  return (
    <label className="flex h-8 items-center gap-2 self-end text-xs">
      <Toggle {...toggle} focusable />
      <span aria-hidden>{name}</span>
    </label>
  )
}
