import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { cancelModelDownload, describeModel, downloadModel, modelsQuery, speedText, type Model } from '../api/models'
import { sessionQuery } from '../api/session'
import { commonText } from '../text/common'
import { bytes } from '../text/format'
import { modelsText } from '../text/models'
import { Button } from '../ui/Button'
import { Progress } from '../ui/Progress'
import { AddModel } from './AddModel'

/** Offers admins a speech model if none is installed, and shows the progress of its download. */
export function ModelSetup() {
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const models = useQuery({ ...modelsQuery, enabled: admin }).data
  const [started, setStarted] = useState(false)
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: ({ model, stop }: { model: string; stop: boolean }) =>
      stop ? cancelModelDownload(model) : downloadModel(model),
    onSettled: () => queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })

  if (!admin || !models) return null
  if (models.some((m) => m.active)) return started ? <Ready /> : null
  const loading = models.find((m) => m.download?.status === 'loading')
  const failed = models.find((m) => m.download?.status === 'failed')
  const start = (model: string) => {
    setStarted(true)
    change.mutate({ model, stop: false })
  }

  return (
    <section
      aria-label={modelsText.setup}
      className="mt-10 w-full rounded-xl border border-line bg-surface p-5 text-left"
    >
      <h2 className="text-base font-semibold tracking-tight">{modelsText.setupTitle}</h2>
      <p className="mt-0.5 text-sm text-muted">{modelsText.setupHelp}</p>
      {failed && !loading && (
        <p className="mt-2 text-sm text-danger" role="alert">
          {modelsText.setupFailed(describeModel(failed.name).title, failed.download?.error ?? '')}
        </p>
      )}
      {loading ? (
        <Loading
          model={loading}
          busy={change.isPending}
          onStop={() => change.mutate({ model: loading.name, stop: true })}
        />
      ) : (
        <ul className="mt-4 grid gap-3 sm:grid-cols-[repeat(auto-fit,minmax(9rem,1fr))]">
          {models
            .filter((m) => m.proposed || describeModel(m.name).recommended || (m.download !== null && !m.installed))
            .map((m) => (
              <Offer key={m.name} model={m} busy={change.isPending} onChoose={() => start(m.name)} />
            ))}
        </ul>
      )}
      {!loading && (
        <div className="mt-4">
          <AddModel />
        </div>
      )}
    </section>
  )
}

function Offer({ model, busy, onChoose }: { model: Model; busy: boolean; onChoose: () => void }) {
  const info = describeModel(model.name)
  return (
    <li className="flex flex-col rounded-lg border border-line bg-raised p-3">
      <p className="flex items-baseline justify-between gap-2 text-sm font-semibold">
        {info.title} <span className="shrink-0 font-normal text-faint">{bytes(model.size_bytes)}</span>
      </p>
      <p className="text-xs text-muted">
        {model.multilingual ? commonText.language.multilingual : commonText.language.english}
      </p>
      {speedText(model) && <p className="text-xs text-muted">{speedText(model)}</p>}
      {model.proposed && <p className="text-xs font-medium text-accent">{modelsText.proposed}</p>}
      <p className="mt-1 mb-3 flex-1 text-xs text-muted">{info.description}</p>
      <Button size="sm" disabled={busy} aria-label={modelsText.downloadModel(model.name)} onClick={onChoose}>
        {model.download ? modelsText.resumeDownload : modelsText.download}
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
          <span>{modelsText.setupLoading(describeModel(model.name).title)}</span>
          <span className="shrink-0">{modelsText.received(bytes(received), bytes(model.size_bytes))}</span>
        </p>
        <Progress
          value={(100 * received) / model.size_bytes}
          label={modelsText.downloading(model.name)}
          className="h-1.5"
        />
      </div>
      <Button size="sm" disabled={busy} onClick={onStop}>
        {modelsText.stop}
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
      <CircleCheck size={16} className="shrink-0 text-accent" aria-hidden /> {modelsText.ready}
    </p>
  )
}
