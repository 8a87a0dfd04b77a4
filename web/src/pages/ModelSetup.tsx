import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { cancelModelDownload, describeModel, downloadModel, modelsQuery, type Model } from '../api/models'
import { sessionQuery } from '../api/session'
import { formatSize } from '../editor/format'
import { Button } from '../ui/Button'
import { Progress } from '../ui/Progress'

/** Offers a speech model to whoever begins, and follows its download. Nothing where there is one, or for people who may not choose. */
export function ModelSetup() {
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const models = useQuery({ ...modelsQuery, enabled: admin }).data
  const [begun, setBegun] = useState(false)
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: ({ model, stop }: { model: string; stop: boolean }) =>
      stop ? cancelModelDownload(model) : downloadModel(model),
    onSettled: () => queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })
  if (!admin || !models) return null
  if (models.some((m) => m.active)) return begun ? <Ready /> : null
  const loading = models.find((m) => m.download?.status === 'loading')
  const failed = models.find((m) => m.download?.status === 'failed')
  const start = (model: string) => {
    setBegun(true)
    change.mutate({ model, stop: false })
  }
  return (
    <section aria-label="Speech model" className="mt-10 w-full rounded-xl border border-line bg-surface p-5 text-left">
      <h2 className="text-base font-semibold tracking-tight">Let it understand what is said</h2>
      <p className="mt-0.5 text-sm text-muted">
        A speech model writes down every word, on this machine. It finds false starts and makes captions. Without one
        only silences are found.
      </p>
      {failed && !loading && (
        <p className="mt-2 text-sm text-danger" role="alert">
          The download of {describeModel(failed.name).title} ended: {failed.download?.error} What has come is kept;
          choose it again to go on.
        </p>
      )}
      {loading ? (
        <Loading
          model={loading}
          busy={change.isPending}
          onStop={() => change.mutate({ model: loading.name, stop: true })}
        />
      ) : (
        <ul className="mt-4 grid gap-3 sm:grid-cols-3">
          {models
            .filter((m) => describeModel(m.name).offered || (m.download !== null && !m.installed))
            .map((m) => (
              <Offer key={m.name} model={m} busy={change.isPending} onChoose={() => start(m.name)} />
            ))}
        </ul>
      )}
    </section>
  )
}

function Offer({ model, busy, onChoose }: { model: Model; busy: boolean; onChoose: () => void }) {
  const words = describeModel(model.name)
  return (
    <li className="flex flex-col rounded-lg border border-line bg-raised p-3">
      <p className="flex items-baseline justify-between gap-2 text-sm font-semibold">
        {words.title} <span className="font-normal text-faint">{formatSize(model.size_bytes)}</span>
      </p>
      <p className="text-xs text-muted">{model.multilingual ? 'Many languages' : 'English'}</p>
      <p className="mt-1 mb-3 flex-1 text-xs text-muted">{words.says}.</p>
      <Button size="sm" disabled={busy} aria-label={`Download ${model.name}`} onClick={onChoose}>
        {model.download ? 'Go on with the download' : 'Download'}
      </Button>
    </li>
  )
}

function Loading({ model, busy, onStop }: { model: Model; busy: boolean; onStop: () => void }) {
  const received = model.download?.received_bytes ?? 0
  return (
    <div className="mt-4 flex items-center gap-4">
      <div className="min-w-0 flex-1">
        <p className="mb-1.5 flex justify-between gap-4 text-xs text-muted">
          <span>
            {describeModel(model.name).title} is on its way. Go on meanwhile: make a project and add your recording.
          </span>
          <span className="shrink-0">
            {formatSize(received)} of {formatSize(model.size_bytes)}
          </span>
        </p>
        <Progress value={(100 * received) / model.size_bytes} label={`Downloading ${model.name}`} className="!h-1.5" />
      </div>
      <Button size="sm" disabled={busy} onClick={onStop}>
        Stop
      </Button>
    </div>
  )
}

function Ready() {
  return (
    <p
      role="status"
      className="mt-10 flex items-center gap-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <CircleCheck size={16} className="shrink-0 text-accent" aria-hidden /> The speech model is here, and understands
      what is said from now on.
    </p>
  )
}
