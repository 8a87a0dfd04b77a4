import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { cancelModelDownload, describeModel, downloadModel, modelsQuery, speedText, type Model } from '../../api/models'
import { sessionQuery } from '../../api/session'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'

/** Offers to download a speech model; empty once a model is installed. */
export function ModelOffer() {
  const models = useQuery(modelsQuery).data ?? []
  const admin = useQuery(sessionQuery).data?.is_admin === true
  if (models.length === 0 || models.some((m) => m.active)) return null
  const loading = models.find((m) => m.download?.status === 'loading')
  return (
    <Notice title={text.addModel}>
      <p>{text.addModelDetail}</p>
      {loading ? (
        <Download model={loading} admin={admin} />
      ) : admin ? (
        <Offers models={models} />
      ) : (
        <p className="mt-2">{text.askAdmin}</p>
      )}
    </Notice>
  )
}

function useChange(change: (model: string) => Promise<unknown>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })
}

function Offers({ models }: { models: Model[] }) {
  const download = useChange(downloadModel)
  const failed = models.find((m) => m.download?.status === 'failed')
  return (
    <div className="mt-2 flex flex-col gap-1">
      {failed && <p className="text-danger">{text.downloadFailed(failed.name, failed.download?.error ?? '')}</p>}
      {models
        .filter((m) => m.proposed || describeModel(m.name).recommended || m.download)
        .map((m) => (
          <Button
            key={m.name}
            size="sm"
            className="h-auto min-h-7 flex-wrap justify-between gap-y-0 py-1 text-left whitespace-normal"
            disabled={download.isPending}
            onClick={() => download.mutate(m.name)}
          >
            <span>{(m.download ? text.resumeDownload : text.downloadModel)(describeModel(m.name).title)}</span>{' '}
            <span className="font-normal text-muted">
              {text.modelSize(
                m.multilingual ? text.multilingual : text.english,
                m.size_bytes - (m.download?.received_bytes ?? 0),
              )}
              {speedText(m) && ` · ${speedText(m)}`}
            </span>
          </Button>
        ))}
    </div>
  )
}

function Download({ model, admin }: { model: Model; admin: boolean }) {
  const cancel = useChange(cancelModelDownload)
  const received = model.download?.received_bytes ?? 0
  return (
    <div className="mt-2 flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <p className="mb-1 truncate text-xs text-faint">{text.downloaded(model.name, received, model.size_bytes)}</p>
        <Progress value={(100 * received) / model.size_bytes} label={text.downloading(model.name)} />
      </div>
      {admin && (
        <Button size="sm" disabled={cancel.isPending} onClick={() => cancel.mutate(model.name)}>
          {text.stopDownload}
        </Button>
      )}
    </div>
  )
}
