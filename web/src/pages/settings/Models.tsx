import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelModelDownload, deleteModel, describeModel, downloadModel, modelsQuery, type Model } from '../../api/models'
import { sessionQuery } from '../../api/session'
import { formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Section } from '../../ui/Section'
import { Loaded, Page } from './Page'
import { useChange } from './useChange'

/** What listens to recordings: the models that are here, and those that can be. */
export function Models() {
  const models = useQuery(modelsQuery)
  const admin = useQuery(sessionQuery).data?.is_admin === true
  return (
    <Page title="Speech models">
      <Loaded query={models} what="The models" height="h-96">
        {(list) => {
          const here = list.filter((m) => m.installed)
          const others = list.filter((m) => !m.installed)
          return (
            <>
              <Section title="On this machine" description="The model writes down what is said, here; recordings never leave this machine. The largest one is used, or the one that the setting SPEECH_MODEL names.">
                {here.length === 0 ? (
                  <Notice title="There is no model yet">
                    Without one only silences are found: no transcript, no false starts, no captions. {admin ? 'Choose one below.' : 'The admin of this server can download one.'}
                  </Notice>
                ) : (
                  <Rows label="Installed models" list={here} admin={admin} />
                )}
              </Section>
              <Section title="To download" description="From small and quick to large and exact. A download goes on where it broke off, and is checked before it is used.">
                {others.length === 0 ? <p className="text-sm text-muted">All known models are here.</p> : <Rows label="Models to download" list={others} admin={admin} />}
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function Rows({ label, list, admin }: { label: string; list: Model[]; admin: boolean }) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {list.map((m) => (
        <Row key={m.name} model={m} admin={admin} />
      ))}
    </ul>
  )
}

function Row({ model, admin }: { model: Model; admin: boolean }) {
  const words = describeModel(model.name)
  const download = model.download
  const received = download?.received_bytes ?? 0
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {words.title}
          <Badge>{model.multilingual ? 'Many languages' : 'English'}</Badge>
          {model.active && <Badge tone="accent">In use</Badge>}
          {words.offered && !model.installed && <Badge tone="accent">Recommended</Badge>}
        </p>
        <p className="text-xs text-muted">{words.says}</p>
        <p className="text-xs text-faint">
          {model.name} · {formatSize(model.size_bytes)}
        </p>
      </div>
      {words.quality > 0 && (
        <dl className="flex w-40 flex-col gap-1 text-xs text-muted max-md:hidden">
          <Dots name="Hears" value={words.quality} />
          <Dots name="Quick" value={words.speed} />
        </dl>
      )}
      <div className="flex w-36 justify-end gap-2">{admin && <Actions model={model} />}</div>
      {download && (
        <div className="basis-full">
          <p className={`mb-1 text-xs ${download.status === 'failed' ? 'text-danger' : 'text-faint'}`} aria-live="polite">
            {download.status === 'failed' ? `The download ended: ${download.error}` : `${download.status === 'loading' ? '' : 'Stopped at '}${formatSize(received)} of ${formatSize(model.size_bytes)}`}
          </p>
          {download.status === 'loading' && <Progress value={(100 * received) / model.size_bytes} label={`Downloading ${model.name}`} />}
        </div>
      )}
    </li>
  )
}

function Dots({ name, value }: { name: string; value: number }) {
  return (
    <div className="flex items-center justify-between">
      <dt>{name}</dt>
      <dd>
        <span role="img" aria-label={`${value} of 5`} className="flex gap-1">
          {[1, 2, 3, 4, 5].map((n) => (
            <span key={n} className={`size-1.5 rounded-full ${n <= value ? 'bg-accent' : 'bg-strong'}`} />
          ))}
        </span>
      </dd>
    </div>
  )
}

const STALE = [modelsQuery.queryKey]

function Actions({ model }: { model: Model }) {
  const [asking, setAsking] = useState(false)
  const start = useChange(downloadModel, STALE)
  const stop = useChange(cancelModelDownload, STALE)
  const remove = useChange(deleteModel, STALE)
  if (model.download?.status === 'loading') {
    return (
      <Button size="sm" disabled={stop.isPending} aria-label={`Stop the download of ${model.name}`} onClick={() => stop.mutate(model.name)}>
        Stop
      </Button>
    )
  }
  const part = !model.installed && model.download !== null
  return (
    <>
      {!model.installed && (
        <Button size="sm" look={describeModel(model.name).offered ? 'primary' : 'plain'} disabled={start.isPending} aria-label={`Download ${model.name}`} onClick={() => start.mutate(model.name)}>
          {part ? 'Go on' : 'Download'}
        </Button>
      )}
      {(part || (model.installed && model.sha256 !== null)) && (
        <Button size="sm" disabled={remove.isPending} aria-label={`Delete ${model.name}`} onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${model.name}?`}
        yes="Delete"
        onConfirm={() => {
          setAsking(false)
          remove.mutate(model.name)
        }}
      >
        {model.active
          ? 'It is in use. An analysis under way goes on with it; the next one takes the best model that is left, or finds silences alone.'
          : 'It can be downloaded again. Transcripts that it made stay.'}
      </Confirm>
    </>
  )
}
