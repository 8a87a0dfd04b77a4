import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, Problem } from '../api/client'
import { createExport, type ExportSettings } from '../api/exports'
import { Button } from '../ui/Button'
import { Choice } from '../ui/Choice'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { formatTime } from './format'
import { useModel } from './model'
import { useEditorStore } from './store'

type Aspect = NonNullable<ExportSettings['aspect_ratio']>
type Resolution = NonNullable<ExportSettings['resolution']>
type Fit = NonNullable<ExportSettings['fit']>

const SHAPES: Record<Aspect, readonly [w: number, h: number]> = { '16:9': [16, 9], '9:16': [9, 16], '1:1': [1, 1] }
const ASPECTS = [
  { value: '16:9', label: <Shape w={16} h={9} text="16:9" />, hint: 'Landscape' },
  { value: '9:16', label: <Shape w={9} h={16} text="9:16" />, hint: 'Portrait' },
  { value: '1:1', label: <Shape w={12} h={12} text="1:1" />, hint: 'Square' },
] as const
const BACKGROUNDS = ['#000000', '#ffffff', '#1f2933', '#0b3d2e', '#3b1d4a'] as const

export function ExportDialog() {
  const open = useEditorStore((s) => s.exporting)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog wide open={open} onOpenChange={(exporting) => set({ exporting })} title="Export the video" description="Rendered on this server while you go on working. MP4 with H.264 and AAC, which plays everywhere.">
      <Form onDone={() => set({ exporting: false, rightTab: 'exports' })} />
    </Dialog>
  )
}

function Form({ onDone }: { onDone: () => void }) {
  const { project, totals, ready, bookState } = useModel()
  const queryClient = useQueryClient()
  const [name, setName] = useState(project.name)
  const [resolution, setResolution] = useState<Resolution>('1080p')
  const [aspect, setAspect] = useState<Aspect>('16:9')
  const [fit, setFit] = useState<Fit>('letterbox')
  const [background, setBackground] = useState('#000000')
  const source = ready.find((c) => c.width && c.height)
  const sourceShape = source?.width && source.height ? source.width / source.height : 16 / 9
  const [w, h] = SHAPES[aspect]
  const differs = Math.abs(sourceShape / (w / h) - 1) > 0.01
  const short = resolution === '720p' ? 720 : 1080
  const long = aspect === '1:1' ? short : (short * 16) / 9
  const size = aspect === '9:16' ? `${short}×${long}` : `${long}×${short}`

  const start = useMutation({
    mutationFn: () => createExport(project.uuid, name.trim() || project.name, { resolution, aspect_ratio: aspect, fit, letterbox_background: background }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['exports', project.uuid] })
      onDone()
    },
  })
  const nothingLeft = totals.resultMs <= 0
  return (
    <form
      className="grid gap-6 sm:grid-cols-[1fr_216px]"
      onSubmit={(e) => {
        e.preventDefault()
        start.mutate()
      }}
    >
      <div className="flex flex-col gap-4">
        <Field label="Name" value={name} onChange={(e) => setName(e.target.value)} maxLength={200} required autoFocus error={start.error instanceof Problem ? start.error.fields['name'] : undefined} />
        <Choice label="Resolution" value={resolution} onChange={setResolution} options={[{ value: '720p', label: '720p' }, { value: '1080p', label: '1080p' }]} />
        <Choice label="Shape" value={aspect} onChange={setAspect} options={ASPECTS} />
        {differs && <Choice label="Picture" value={fit} onChange={setFit} options={[{ value: 'letterbox', label: 'Show all of it' }, { value: 'crop', label: 'Fill the frame' }]} />}
        {differs && fit === 'letterbox' && <Background value={background} onChange={setBackground} />}
        {nothingLeft && <Notice tone="danger" title="Nothing would be left">Every moment is cut. Reject some of the cuts first.</Notice>}
        {start.isError && <Notice tone="danger" title="The export did not start">{messageOf(start.error)}</Notice>}
      </div>
      <div className="flex flex-col gap-3">
        <Frame shape={w / h} picture={sourceShape} fit={fit} background={background} />
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
          <dt className="text-faint">Length</dt>
          <dd className="text-right font-semibold">{formatTime(totals.resultMs)}</dd>
          <dt className="text-faint">Picture</dt>
          <dd className="text-right">{size}</dd>
          <dt className="text-faint">Left out</dt>
          <dd className="text-right">{formatTime(totals.savedMs)}</dd>
        </dl>
        <Button look="primary" size="lg" type="submit" className="mt-auto" disabled={start.isPending || nothingLeft || bookState.pending > 0}>
          {start.isPending ? 'Starting…' : bookState.pending > 0 ? 'Saving your cuts…' : 'Export'}
        </Button>
      </div>
    </form>
  )
}

function Shape({ w, h, text }: { w: number; h: number; text: string }) {
  return (
    <>
      <span aria-hidden className="rounded-[2px] border-[1.5px] border-current" style={{ width: w, height: h }} />
      {text}
    </>
  )
}

function Background({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Bars</legend>
      <div className="flex items-center gap-2">
        {BACKGROUNDS.map((color) => (
          <button
            key={color}
            type="button"
            aria-label={`Bars in ${color}`}
            aria-pressed={value === color}
            onClick={() => onChange(color)}
            className="size-8 rounded-md border border-strong aria-pressed:outline-2 aria-pressed:outline-offset-2 aria-pressed:outline-accent"
            style={{ background: color }}
          />
        ))}
        <input type="color" aria-label="Another colour for the bars" value={value} onChange={(e) => onChange(e.target.value)} className="h-8 w-12 rounded-md border border-line bg-raised" />
      </div>
    </fieldset>
  )
}

// Frame sketches how the picture sits in the exported frame.
function Frame({ shape, picture, fit, background }: { shape: number; picture: number; fit: Fit; background: string }) {
  const [w, h] = shape >= 1 ? [208, 208 / shape] : [160 * shape, 160]
  const fills = fit === 'crop'
  const wide = picture > shape
  const pw = fills === wide ? h * picture : w
  const ph = fills === wide ? h : w / picture
  return (
    <div className="flex h-44 items-center justify-center rounded-lg border border-line bg-raised" aria-hidden>
      <div className="relative overflow-hidden rounded-sm border border-strong transition-all" style={{ width: w, height: h, background }}>
        <div className="absolute top-1/2 left-1/2 -translate-x-1/2 -translate-y-1/2 bg-linear-to-br from-accent/70 to-accent/30 transition-all" style={{ width: pw, height: ph }} />
      </div>
    </div>
  )
}
