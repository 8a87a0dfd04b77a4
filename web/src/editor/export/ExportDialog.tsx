import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { messageOf, Problem } from '../../api/client'
import { createExport, exportEstimateQuery, exportsQuery, type ExportRange } from '../../api/exports'
import type { Short } from '../../api/shorts'
import { exportText as text } from '../../text/editor/export'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Select } from '../../ui/Select'
import { uploadsStarted } from '../state/analysisQueue'
import { useProjectUploads } from '../state/uploads'
import { useEdits, useLayout, usePlayer, useProject, useSaveState } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import {
  applyPlatform,
  distinctName,
  formatOf,
  FORMATS,
  isAudioOnly,
  matchesPlatform,
  otherFormat,
  PLATFORMS,
  RECORDED,
  toExportSettings,
  useExportOptions,
  usesRecordedFormat,
  type Platform,
} from '../state/exportOptions'
import { ExportPreview } from './ExportPreview'
import { rangeTotals, SHORTS_MS, type ChosenRange } from './exportRange'
import { useChosenRange } from './useChosenRange'
import { RangeSelect, RangeTimes } from './RangeFields'
import { BurnedCaptions, Loudness, MoreOptions, Resolution } from './ExportOptions'
import type { Totals } from '../edits/cuts'
import { useFrameSize } from '../state/useFrameSize'

/** Chooses the options of an export and starts it. */
export function ExportDialog() {
  const open = useEditorStore((s) => s.exporting)
  const set = useEditorStore((s) => s.set)
  const keepsCodec = useExportOptions((s) => s.options.video_codec === 'source')
  const format = useExportOptions((s) => formatOf(s.options))
  const { ready } = useLayout()
  return (
    <Dialog
      broad
      open={open}
      onOpenChange={(exporting) => set({ exporting })}
      title={isAudioOnly(ready) ? text.audioTitle : text.title}
      description={format.audio_only ? text.audioDescription(format.label) : text.description(format.label, keepsCodec)}
    >
      <Form onDone={() => set({ exporting: false, rightTab: 'exports' })} />
    </Dialog>
  )
}

function Form({ onDone }: { onDone: () => void }) {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const options = useExportOptions((s) => s.options)
  const audioOnly = formatOf(options).audio_only === true
  const earlier = useQuery(exportsQuery(project.uuid)).data
  const [name, setName] = useState('')
  const player = usePlayer()
  useEffect(() => player?.pause(), [player])
  const [waits, setWaits] = useState(true)
  const { choice, setChoice, selection, short, chosen, totalMs } = useChosenRange()
  const proposed = distinctName(short?.name ?? text.cutName(project.name), earlier?.map((e) => e.name) ?? [])
  useOptionsOf(short)
  useFrameWithin(chosen.range)
  const start = useMutation({
    mutationFn: () =>
      createExport(project.uuid, {
        name: name.trim() || proposed,
        settings: toExportSettings(options, short ? null : chosen.range),
        short: short?.uuid ?? null,
        waits,
      }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: exportsQuery(project.uuid).queryKey })
      onDone()
    },
  })

  const wrong = start.error instanceof Problem ? start.error.fields['name'] : undefined
  return (
    <form
      className="flex flex-col gap-6 md:grid md:h-[min(512px,calc(100vh-168px))] md:grid-cols-[1fr_288px]"
      onSubmit={(e) => {
        e.preventDefault()
        start.mutate()
      }}
    >
      <div className="flex min-w-0 flex-col gap-4 md:-mx-1 md:overflow-y-auto md:px-1 md:pb-1">
        {!audioOnly && <Platforms />}
        <div className="grid gap-4 sm:grid-cols-2">
          {!audioOnly && <Resolution />}
          {!audioOnly && <BurnedCaptions />}
          <Loudness />
          <FileFormat />
          <RangeSelect choice={choice} selection={selection} onChange={setChoice} />
          <Field
            className="max-sm:order-last"
            label={text.name}
            value={name}
            placeholder={proposed}
            onChange={(e) => {
              setName(e.target.value)
              start.reset()
            }}
            maxLength={200}
            error={wrong}
          />
          <RangeTimes {...chosen} choice={choice} totalMs={totalMs} onChange={setChoice} />
        </div>
        <MoreOptions audioOnly={audioOnly} />
      </div>
      <Summary
        busy={start.isPending}
        problem={start.isError && !wrong ? messageOf(start.error) : null}
        waits={waits}
        onWaits={setWaits}
        chosen={chosen}
      />
    </form>
  )
}

// useOptionsOf shows the options of a short while it is chosen. What the person changes then belongs to the short.
function useOptionsOf(short: Short | null): void {
  const uuid = short?.uuid ?? null
  useLayoutEffect(() => useEditorStore.getState().set({ exportedShort: uuid }), [uuid])
  useLayoutEffect(() => () => useEditorStore.getState().set({ exportedShort: undefined }), [])
}

// useFrameWithin shows a frame of the range in the preview.
function useFrameWithin(range: ExportRange | null): void {
  const player = usePlayer()
  useEffect(() => {
    const ms = player?.position() ?? 0
    if (range && (ms < range.start_ms || ms >= range.end_ms)) player?.seek(range.start_ms)
  }, [player, range])
}

/** Chooses the file format: a container for video, or audio only. */
function FileFormat() {
  const { options, change } = useExportOptions()
  return (
    <Select
      label={text.fileFormat}
      value={options.format}
      options={FORMATS.map((f) => ({ value: f.name, label: text.formatName(f.label, f.description) }))}
      onChange={(e) => {
        const format = FORMATS.find((f) => f.name === e.currentTarget.value)
        if (format) change({ format: format.name })
      }}
    />
  )
}

const platformStyle =
  'rounded-md border border-line bg-raised px-3 py-2 text-left transition-colors hover:border-strong hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft'

function Platforms() {
  const { options, change } = useExportOptions()
  const { ready } = useLayout()
  const other = otherFormat(ready)
  const first = ready.find((c) => c.width && c.height)
  const button = (platform: Platform, detail: string, style: string) => (
    <button
      key={platform.name}
      type="button"
      aria-pressed={matchesPlatform(options, platform)}
      onClick={() => change(applyPlatform(options, platform))}
      className={`${platformStyle} ${style}`}
    >
      <span className="block truncate text-sm font-medium">{text.platforms[platform.name][0]}</span>
      <span className="block truncate text-xs text-muted">{detail}</span>
    </button>
  )

  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{text.platform}</legend>
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-4">
        {button(RECORDED, first ? text.recordedFormat(first) : text.platforms.recorded[1], 'col-span-full')}
        {PLATFORMS.map((p) => button(p, text.platforms[p.name][1], ''))}
      </div>
      {other && first && usesRecordedFormat(options) && (
        <p className="mt-2 text-xs text-muted" data-testid="clips-differ">
          {text.clipsDiffer(first, other)}
        </p>
      )}
    </fieldset>
  )
}

interface SummaryProps {
  busy: boolean
  problem: string | null
  /** Whether the export waits for the clips that are being read. */
  waits: boolean
  onWaits: (waits: boolean) => void
  chosen: ChosenRange
}

// Summary shows the properties of the export and starts it. In a narrow window, the button stays at the bottom of the dialog.
function Summary({ busy, problem, waits, onWaits, chosen }: SummaryProps) {
  const { project } = useProject()
  const uploads = useProjectUploads(project.uuid)
  const saveState = useSaveState()
  const totals = useRangeTotals(chosen.range)
  const size = useFrameSize()
  const audioOnly = useExportOptions((s) => formatOf(s.options).audio_only === true)
  const unclear = Object.keys(chosen.problems).length > 0
  const nothingLeft = totals.resultMs <= 0
  const saving = saveState.pending > 0
  const notYet = waits && !uploadsStarted(uploads, project.uuid)
  return (
    <div className="flex flex-col gap-3 max-md:contents md:overflow-y-auto">
      {!audioOnly && <ExportPreview />}
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
        <dt className="text-faint">{text.summary.length}</dt>
        <dd className="text-right font-semibold" data-testid="export-length" data-ms={totals.resultMs}>
          {timecode(totals.resultMs)}
        </dd>
        <dt className="text-faint">{text.summary.removed}</dt>
        <dd className="text-right">{timecode(totals.savedMs)}</dd>
        {!audioOnly && (
          <>
            <dt className="text-faint">{text.summary.frameSize}</dt>
            <dd className="text-right">
              {size.width}×{size.height}
            </dd>
          </>
        )}
      </dl>
      <div className="flex flex-col gap-3 max-md:sticky max-md:-bottom-6 max-md:-mx-6 max-md:-mb-6 max-md:border-t max-md:border-line max-md:bg-surface max-md:px-6 max-md:py-3">
        {nothingLeft ? (
          <Notice tone="danger" title={text.nothingLeft}>
            {chosen.range ? text.nothingLeftInRange : text.nothingLeftDetail}
          </Notice>
        ) : (
          <Estimate saving={saving} range={chosen.range} unclear={unclear} />
        )}
        {!unclear && <TooLongForShorts ms={totals.resultMs} />}
        <MissingClips waits={waits} onWaits={onWaits} />
        {problem && (
          <Notice tone="danger" title={text.startFailed}>
            {text.startFailedDetail(problem)}
          </Notice>
        )}
        <Button variant="primary" size="lg" type="submit" disabled={busy || nothingLeft || saving || notYet || unclear}>
          {busy ? text.starting : saving ? text.saving : notYet ? text.waitingForUploads : text.export}
        </Button>
      </div>
    </div>
  )
}

// useRangeTotals is the durations of a range, or of the whole project.
function useRangeTotals(range: ExportRange | null): Totals {
  const { edits, totals } = useEdits()
  const { rate, lengths } = useLayout()
  return useMemo(
    () => (range ? rangeTotals(rate, lengths, edits, range) : totals),
    [range, totals, rate, lengths, edits],
  )
}

// TooLongForShorts warns of an upright video of ms that platforms do not take as a Short.
function TooLongForShorts({ ms }: { ms: number }) {
  const upright = useExportOptions(({ options }) => options.aspect_ratio === '9:16' && !formatOf(options).audio_only)
  if (!upright || ms <= SHORTS_MS) return null
  return (
    <p className="text-xs text-danger" role="status" data-testid="too-long-for-shorts">
      {text.shortsTooLong(ms)}
    </p>
  )
}

// MissingClips says which clips the export would lack now, and lets the person choose whether it waits for them.
function MissingClips({ waits, onWaits }: Pick<SummaryProps, 'waits' | 'onWaits'>) {
  const { project, clips } = useProject()
  const uploads = useProjectUploads(project.uuid)
  const reading =
    clips.filter((c) => c.status === 'processing').length + uploads.filter((u) => u.status !== 'failed').length

  const failed = [
    ...clips.filter((c) => c.status === 'failed').map((c) => c.name),
    ...uploads.filter((u) => u.status === 'failed').map((u) => u.file.name),
  ]

  return (
    <>
      {reading > 0 && (
        <div>
          <Choice
            label={text.reading(reading)}
            value={waits ? 'wait' : 'leaveOut'}
            options={[
              { value: 'wait', label: text.wait },
              { value: 'leaveOut', label: text.leaveOut },
            ]}
            onChange={(choice) => onWaits(choice === 'wait')}
          />
          <p className="mt-1 text-xs text-muted">{waits ? text.waitHint : text.leaveOutHint}</p>
        </div>
      )}
      {failed.length > 0 && <p className="text-xs text-danger">{text.notRead(failed)}</p>}
    </>
  )
}

interface EstimateProps {
  saving: boolean
  range: ExportRange | null
  /** Whether the person is still typing the range. */
  unclear: boolean
}

// Estimate says how the video is made, how long that takes and how large the file becomes.
function Estimate({ saving, range, unclear }: EstimateProps) {
  const { project } = useProject()
  const { edits, placements } = useEdits()
  const options = useExportOptions((s) => s.options)
  const version = useMemo(
    () => [...edits, ...placements].map((e) => `${e.uuid}${e.active}${e.start_ms}-${e.end_ms}`).join(),
    [edits, placements],
  )

  const found = useQuery({
    ...exportEstimateQuery(project.uuid, toExportSettings(options, range), version),
    enabled: !saving && !unclear,
  })

  const estimate = unclear ? undefined : found.data
  if (!estimate && found.isError) return <p className="min-h-14 text-xs text-muted">{messageOf(found.error)}</p>
  return (
    <div
      role="status"
      data-testid="estimate"
      data-method={estimate?.method}
      data-basis={estimate?.basis}
      data-bytes={estimate?.size_bytes}
      data-ms={estimate?.render_ms}
      className="text-xs md:min-h-14"
    >
      {!estimate && <p className="text-sm text-muted">{unclear ? text.chooseRange : text.estimating}</p>}
      {estimate && (
        <>
          <p className="text-sm font-semibold">
            {estimate.width > 0 ? text.estimate(estimate) : text.audioEstimate(estimate)}
          </p>
          {estimate.encoded_because && (
            <p className="mt-1 text-muted">{text.encodedBecause(estimate.encoded_because)}</p>
          )}
          {estimate.low_size_bytes && <p className="mt-1 text-muted">{text.guess}</p>}
          {estimate.warnings?.map((warning) => (
            <p key={warning} className="mt-1 text-danger" data-testid="export-warning">
              {warning}
            </p>
          ))}
        </>
      )}
    </div>
  )
}
