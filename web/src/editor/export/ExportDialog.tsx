import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { useState } from 'react'
import { messageOf, Problem } from '../../api/client'
import { createExport, exportsQuery } from '../../api/exports'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { CaptionsTab, VideoTab, AudioTab, ProfanityTab } from './ExportTabs'
import {
  estimateBytes,
  applyPlatform,
  matchesPlatform,
  PLATFORMS,
  toExportSettings,
  frameSize,
  useExportOptions,
} from './exportOptions'
import { timecode } from '../timeline/timecode'
import { formatSize } from '../format'
import { useEdits, useLayout, useProject, useSaveState } from '../state/contexts'
import { ExportPreview } from './ExportPreview'
import { useEditorStore } from '../state/store'

export function ExportDialog() {
  const open = useEditorStore((s) => s.exporting)
  const set = useEditorStore((s) => s.set)
  const keepsCodec = useExportOptions((s) => s.options.video_codec === 'source')
  return (
    <Dialog
      broad
      open={open}
      onOpenChange={(exporting) => set({ exporting })}
      title="Export the video"
      description={`Rendered while you go on working. ${keepsCodec ? 'MP4 with AAC, and HEVC where your footage allows it.' : 'MP4 with H.264 and AAC, which plays everywhere.'}`}
    >
      <Form onDone={() => set({ exporting: false, rightTab: 'exports' })} />
    </Dialog>
  )
}

const TABS = [
  ['Picture', VideoTab],
  ['Sound', AudioTab],
  ['Captions', CaptionsTab],
  ['Words', ProfanityTab],
] as const

const tabLook =
  'relative h-9 px-1 text-sm font-medium text-muted transition-colors hover:text-ink data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-0 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-accent'

function Form({ onDone }: { onDone: () => void }) {
  const { project } = useProject()
  const queryClient = useQueryClient()
  const options = useExportOptions((s) => s.options)
  const [name, setName] = useState(project.name)
  const start = useMutation({
    mutationFn: () => createExport(project.uuid, name.trim() || project.name, toExportSettings(options)),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['exports', project.uuid] })
      onDone()
    },
  })
  const wrong = start.error instanceof Problem ? start.error.fields['name'] : undefined
  return (
    <form
      className="grid gap-6 md:grid-cols-[1fr_288px]"
      onSubmit={(e) => {
        e.preventDefault()
        start.mutate()
      }}
    >
      <div className="flex min-w-0 flex-col gap-4">
        <Field
          label="Name"
          value={name}
          onChange={(e) => setName(e.target.value)}
          maxLength={200}
          required
          error={wrong}
        />
        <Platforms />
        <Tabs.Root defaultValue="Picture">
          <Tabs.List className="flex gap-4 border-b border-line" aria-label="Settings of the export">
            {TABS.map(([label]) => (
              <Tabs.Trigger key={label} value={label} className={tabLook}>
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          {TABS.map(([label, Tab]) => (
            <Tabs.Content key={label} value={label} className="flex min-h-72 flex-col gap-4 pt-4">
              <Tab />
            </Tabs.Content>
          ))}
        </Tabs.Root>
      </div>
      <Summary busy={start.isPending} problem={start.isError && !wrong ? messageOf(start.error) : null} />
    </form>
  )
}

function Platforms() {
  const { options, change } = useExportOptions()
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Made for</legend>
      <div className="grid grid-cols-2 gap-2 lg:grid-cols-4">
        {PLATFORMS.map((p) => (
          <button
            key={p.name}
            type="button"
            aria-pressed={matchesPlatform(options, p)}
            onClick={() => change(applyPlatform(options, p))}
            className="rounded-md border border-line bg-raised px-3 py-2 text-left transition-colors hover:border-strong hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
          >
            <span className="block truncate text-sm font-medium">{p.name}</span>
            <span className="block truncate text-xs text-muted">{p.detail}</span>
          </button>
        ))}
      </div>
    </fieldset>
  )
}

// Summary shows what the export will be, and starts it.
function Summary({ busy, problem }: { busy: boolean; problem: string | null }) {
  const saveState = useSaveState()
  const { project } = useProject()
  const { totals } = useEdits()
  const { rate } = useLayout()
  const options = useExportOptions((s) => s.options)
  const earlier = useQuery(exportsQuery(project.uuid)).data ?? []
  const size = frameSize(options)
  const bytes = estimateBytes(totals.resultMs, size, rate.num / rate.den, earlier)
  const nothingLeft = totals.resultMs <= 0
  return (
    <div className="flex flex-col gap-3 self-start md:sticky md:top-0">
      <ExportPreview />
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
        <dt className="text-faint">Length</dt>
        <dd className="text-right font-semibold">{timecode(totals.resultMs)}</dd>
        <dt className="text-faint">Left out</dt>
        <dd className="text-right">{timecode(totals.savedMs)}</dd>
        <dt className="text-faint">Picture</dt>
        <dd className="text-right">
          {size.width}×{size.height}
        </dd>
        <dt className="text-faint">Size</dt>
        <dd className="text-right" data-testid="estimate">
          about {formatSize(bytes)}
        </dd>
      </dl>
      {nothingLeft && (
        <Notice tone="danger" title="Nothing would be left">
          Every moment is cut. Reject some of the cuts first.
        </Notice>
      )}
      {problem && (
        <Notice tone="danger" title="The export did not start">
          {problem} Your cuts are safe.
        </Notice>
      )}
      <Button
        variant="primary"
        size="lg"
        type="submit"
        className="mt-2"
        disabled={busy || nothingLeft || saveState.pending > 0}
      >
        {busy ? 'Starting…' : saveState.pending > 0 ? 'Saving your cuts…' : 'Export'}
      </Button>
    </div>
  )
}
