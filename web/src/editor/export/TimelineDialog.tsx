import { useMutation } from '@tanstack/react-query'
import { Archive, Download } from 'lucide-react'
import { toast } from 'sonner'
import formats from '../../../../media/interchange/formats.json'
import { messageOf } from '../../api/client'
import type { Clip } from '../../api/clips'
import { timelineBundle, timelineFile, type BundleOptions, type TimelineFormat } from '../../api/timelines'
import { timelinesText as text } from '../../text/editor/timelines'
import { Badge } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { useLayout, useMarkers, useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { FCPXML_VERSIONS, useTimelineOptions } from './timelineOptions'
import { RangeSelect, RangeTimes } from './RangeFields'
import { TimelineReturn } from './TimelineReturn'
import { useChosenRange } from './useChosenRange'
import { hasCopy, VariableRates } from './VariableRates'

type Format = (typeof formats)[number]

/** Offers the edited video in the formats of other editors, and its text. */
export function TimelineDialog() {
  const open = useEditorStore((s) => s.timelines)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={(timelines) => set({ timelines })}
      title={text.title}
      description={text.intro}
    >
      <div className="flex flex-col gap-4">
        <Content />
      </div>
    </Dialog>
  )
}

function Content() {
  const { project } = useProject()
  const { ready } = useLayout()
  const { options, change } = useTimelineOptions(project.uuid)
  const variable = ready.filter((c) => c.variable_frame_rate)
  const { choice, setChoice, selection, chosen, totalMs } = useChosenRange()
  const wrong = Object.keys(chosen.problems).length > 0
  const bundle = { ...options, range: chosen.range, constantRate: variable.length > 0 && variable.every(hasCopy) }
  const list = (kind: string) =>
    formats
      .filter((f) => f.kind === kind)
      .map((f) => <FormatRow key={f.name} format={f} options={bundle} disabled={wrong} />)

  return (
    <>
      <Field
        label={text.folder}
        hint={text.folderHint}
        placeholder={text.folderExample}
        value={options.mediaFolder}
        onChange={(e) => change({ mediaFolder: e.target.value })}
        maxLength={1000}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <RangeSelect choice={choice} selection={selection} onChange={setChoice} />
        <RangeTimes {...chosen} choice={choice} totalMs={totalMs} onChange={setChoice} />
      </div>
      <div>
        <Choice
          label={text.cuts}
          value={options.cuts}
          onChange={(cuts) => change({ cuts })}
          options={[
            { value: 'removed', label: text.removed },
            { value: 'disabled', label: text.disabled },
          ]}
        />
        {options.cuts === 'disabled' && <p className="mt-1 text-xs text-muted">{text.disabledHint}</p>}
      </div>
      <VariableRates clips={variable} />
      <AudioTracks clips={ready.filter((c) => (c.audio_tracks ?? 1) > 1)} />
      <FormatList title={text.editors}>{list('timeline')}</FormatList>
      <FormatList title={text.texts}>{list('text')}</FormatList>
      <TimelineReturn />
      <details className="border-t border-line pt-3">
        <summary className="cursor-pointer text-sm font-medium text-muted hover:text-ink">{text.advanced}</summary>
        <Select
          className="pt-3"
          label={text.version}
          hint={text.versionHint}
          value={options.fcpxmlVersion}
          options={FCPXML_VERSIONS.map((value) => ({ value, label: value }))}
          onChange={(e) => change({ fcpxmlVersion: FCPXML_VERSIONS.find((v) => v === e.target.value) ?? '1.10' })}
        />
      </details>
    </>
  )
}

// AudioTracks lists the clips with several audio tracks. Roughcut plays one track of each.
function AudioTracks({ clips }: { clips: Clip[] }) {
  if (clips.length === 0) return null
  return (
    <section className="flex flex-col gap-2" data-testid="audio-tracks">
      <div>
        <h3 className="text-sm font-medium">{text.audioTracks.title}</h3>
        <p className="text-xs text-muted">{text.audioTracks.hint}</p>
      </div>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {clips.map((clip) => (
          <li key={clip.uuid} className="flex items-center gap-2 py-1.5 pr-2 pl-3">
            <p className="min-w-0 flex-1 truncate text-sm">{clip.name}</p>
            <Badge>{text.audioTracks.count(clip.audio_tracks ?? 1)}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}

function FormatList({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">{children}</ul>
    </section>
  )
}

// FormatRow is one format: the programs that open it, and its downloads.
function FormatRow({ format, options, disabled }: { format: Format; options: BundleOptions; disabled: boolean }) {
  const { project } = useProject()
  const name = format.name as TimelineFormat
  const archive = name === 'otio' ? 'OTIOZ' : 'ZIP'
  const missing = useMissing(name, format.kind)
  const bundle = useMutation({
    mutationFn: () => timelineBundle(project.uuid, name, options),
    onSuccess: ({ url, filename }) => downloadFrom(url, filename),
    onError: (error) => toast.error(messageOf(error)),
  })

  return (
    <li className="flex items-center gap-2 py-1.5 pr-2 pl-3" data-format={name}>
      <div className="min-w-0 flex-1">
        <p className="text-sm">{format.label}</p>
        <p className="text-xs text-muted first-letter:uppercase">{missing ?? format.opens}</p>
      </div>
      {format.kind === 'timeline' && (
        <Button
          size="sm"
          variant="quiet"
          aria-label={text.bundle(format.label, archive)}
          disabled={disabled || missing !== null || bundle.isPending}
          onClick={() => bundle.mutate()}
        >
          <Archive size={14} aria-hidden />
          <span className="hidden sm:inline">{text.withMedia}</span>
        </Button>
      )}
      <IconButton
        label={text.download(format.label)}
        disabled={disabled || missing !== null}
        onClick={() => downloadFrom(timelineFile(project.uuid, name, options), '')}
      >
        <Download size={16} />
      </IconButton>
    </li>
  )
}

// useMissing says why a format is not available for the project; null if it is.
function useMissing(name: TimelineFormat, kind: string): string | null {
  const { project } = useProject()
  const { ready } = useLayout()
  const { markers } = useMarkers()
  if (name === 'llc') return new Set(ready.map((c) => c.clip_file_id)).size > 1 ? text.oneRecording : null
  if (name === 'chapters') return markers.some((m) => m.kind === 'chapter') ? null : text.noChapters
  return kind === 'text' && !project.active_run_id ? text.noTranscript : null
}

// downloadFrom downloads the file at an address. Without a name, the server chooses it.
function downloadFrom(address: string, name: string) {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
