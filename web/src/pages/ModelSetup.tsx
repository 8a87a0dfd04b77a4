import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronRight, CircleCheck } from 'lucide-react'
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

  const offered = models.filter(
    (m) => m.proposed || describeModel(m.name).recommended || (m.download !== null && !m.installed),
  )

  const first = failed ?? offered.find((m) => m.proposed) ?? offered[0]
  return (
    <section aria-label={modelsText.setup} className="w-full text-left">
      {failed && !loading && (
        <p className="mb-2 text-sm text-danger" role="alert">
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
        <>
          {first && (
            <Offer label={modelsText.setup} model={first} busy={change.isPending} onChoose={() => start(first.name)} />
          )}
          <details className="group mt-2">
            <summary className="flex w-fit cursor-pointer items-center gap-1.5 text-xs font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
              <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
              {modelsText.otherModels}
            </summary>
            <p className="mt-2 text-sm text-muted">{modelsText.setupHelp}</p>
            <ul className="mt-2 mb-4 divide-y divide-line">
              {offered
                .filter((m) => m !== first)
                .map((m) => (
                  <li key={m.name} className="py-2">
                    <Offer model={m} busy={change.isPending} onChoose={() => start(m.name)} />
                  </li>
                ))}
            </ul>
            <AddModel />
          </details>
        </>
      )}
    </section>
  )
}

interface OfferProps {
  label?: string
  model: Model
  busy: boolean
  onChoose: () => void
}

// Offer is a model in one line.
function Offer({ label, model, busy, onChoose }: OfferProps) {
  const { title, description } = describeModel(model.name)
  return (
    <div className="flex items-center gap-3">
      <p className="min-w-0 flex-1 text-sm">
        {label && <span className="text-muted">{label} </span>}
        <span className="font-semibold">{modelsText.offer(title, bytes(model.size_bytes), model.proposed)}</span>
        <span className="block text-xs text-muted">
          {[model.multilingual && commonText.multilingual, description, speedText(model)].filter(Boolean).join(' · ')}
        </span>
      </p>
      <Button disabled={busy} aria-label={modelsText.downloadModel(model.name)} onClick={onChoose}>
        {model.download ? modelsText.resumeDownload : modelsText.download}
      </Button>
    </div>
  )
}

function Loading({ model, busy, onStop }: { model: Model; busy: boolean; onStop: () => void }) {
  const received = model.download?.received_bytes ?? 0
  return (
    <div className="flex items-center gap-4">
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
      className="flex w-full items-center gap-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <CircleCheck size={16} className="shrink-0 text-accent" aria-hidden /> {modelsText.ready}
    </p>
  )
}
