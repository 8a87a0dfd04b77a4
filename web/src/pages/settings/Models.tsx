import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { toast } from 'sonner'
import {
  cancelModelDownload,
  chooseModel,
  deleteModel,
  describeModel,
  downloadModel,
  forgetModelChoice,
  modelIsSetQuery,
  modelsQuery,
  type Model,
} from '../../api/models'
import { sessionQuery } from '../../api/session'
import { formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Section } from '../../ui/Section'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'

/** What listens to recordings: the models that are here, and those that can be. */
export function Models() {
  const models = useQuery(modelsQuery)
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const isSet = useQuery(modelIsSetQuery).data === true
  return (
    <Page title="Speech models">
      <Loaded query={models} what="The models" height="h-96">
        {(list) => {
          const here = list.filter((m) => m.installed)
          const others = list.filter((m) => !m.installed)
          return (
            <>
              <Section
                title="On this machine"
                description={`The model writes down what is said, here; recordings never leave this machine. ${howItIsChosen(here, isSet)}`}
                action={admin && !isSet && <UseLargest chosen={here.find((m) => m.chosen)} />}
              >
                {here.length === 0 ? (
                  <Notice title="There is no model yet">
                    Without one only silences are found: no transcript, no false starts, no captions.{' '}
                    {admin ? 'Choose one below.' : 'The admin of this server can download one.'}
                  </Notice>
                ) : (
                  <Rows label="Installed models" list={here} admin={admin} isSet={isSet} />
                )}
              </Section>
              <Section
                title="To download"
                description="From small and quick to large and exact. A download goes on where it broke off, and is checked before it is used."
              >
                {others.length === 0 ? (
                  <p className="text-sm text-muted">All known models are here.</p>
                ) : (
                  <Rows label="Models to download" list={others} admin={admin} isSet={isSet} />
                )}
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function howItIsChosen(here: Model[], isSet: boolean): string {
  if (isSet) return 'The setting SPEECH_MODEL names the one that is used; while it does, no other can be chosen here.'
  if (here.some((m) => m.chosen)) return 'The chosen one is used.'
  return here.length > 1 ? 'The largest one is used until another is chosen.' : 'The largest one is used.'
}

/** Gives up the choice that was made; nothing where there is none. */
function UseLargest({ chosen }: { chosen: Model | undefined }) {
  const forget = useServerChange(forgetModelChoice, STALE)
  if (!chosen) return null
  return (
    <Button size="sm" disabled={forget.isPending} onClick={() => forget.mutate(chosen.name)}>
      Use the largest
    </Button>
  )
}

interface RowsProps {
  label: string
  list: Model[]
  admin: boolean
  /** The setting SPEECH_MODEL names the one that is used. */
  isSet: boolean
}

function Rows({ label, list, admin, isSet }: RowsProps) {
  const next = list
    .filter((m) => m.installed && !m.active)
    .reduce<Model | undefined>((best, m) => (best && best.size_bytes >= m.size_bytes ? best : m), undefined)
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {list.map((m) => (
        <Row key={m.name} model={m} actions={admin && <Actions model={m} isSet={isSet} next={next} />} />
      ))}
    </ul>
  )
}

function Row({ model, actions }: { model: Model; actions: ReactNode }) {
  const words = describeModel(model.name)
  const download = model.download
  const received = download?.received_bytes ?? 0
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-40">
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
        <dl className="flex w-28 flex-col gap-1 text-xs text-muted max-md:hidden">
          <Dots name="Hears" value={words.quality} />
          <Dots name="Quick" value={words.speed} />
        </dl>
      )}
      <div className="flex w-44 justify-end gap-2">{actions}</div>
      {download && (
        <div className="basis-full">
          <p
            className={`mb-1 text-xs ${download.status === 'failed' ? 'text-danger' : 'text-faint'}`}
            aria-live="polite"
          >
            {download.status === 'failed'
              ? `The download ended: ${download.error}`
              : `${download.status === 'loading' ? '' : 'Stopped at '}${formatSize(received)} of ${formatSize(model.size_bytes)}`}
          </p>
          {download.status === 'loading' && (
            <Progress value={(100 * received) / model.size_bytes} label={`Downloading ${model.name}`} />
          )}
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

interface ActionsProps {
  model: Model
  isSet: boolean
  /** What is used once the model in use is deleted. */
  next: Model | undefined
}

function Actions({ model, isSet, next }: ActionsProps) {
  const [asking, setAsking] = useState(false)
  const start = useServerChange(downloadModel, STALE)
  const stop = useServerChange(cancelModelDownload, STALE)
  const remove = useServerChange(deleteModel, STALE)
  const choose = useServerChange(chooseModel, STALE, (chosen) =>
    toast.success(`${chosen.name} listens from now on`, {
      description: 'Cuts that were found stay as they are; “Find again” in a project uses it.',
    }),
  )
  if (model.download?.status === 'loading') {
    return (
      <Button
        size="sm"
        disabled={stop.isPending}
        aria-label={`Stop the download of ${model.name}`}
        onClick={() => stop.mutate(model.name)}
      >
        Stop
      </Button>
    )
  }
  const part = !model.installed && model.download !== null
  return (
    <>
      {!model.installed && (
        <Button
          size="sm"
          variant={describeModel(model.name).offered ? 'primary' : 'plain'}
          disabled={start.isPending}
          aria-label={`Download ${model.name}`}
          onClick={() => start.mutate(model.name)}
        >
          {part ? 'Go on' : 'Download'}
        </Button>
      )}
      {model.installed && !model.active && !isSet && (
        <Button
          size="sm"
          disabled={choose.isPending}
          aria-label={`Use ${model.name}`}
          onClick={() => choose.mutate(model.name)}
        >
          Use this one
        </Button>
      )}
      {(part || (model.installed && model.sha256 !== null && !(model.active && isSet))) && (
        <Button
          size="sm"
          disabled={remove.isPending}
          aria-label={`Delete ${model.name}`}
          onClick={() => setAsking(true)}
        >
          Delete
        </Button>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Delete ${model.name}?`}
        yes="Delete"
        {...(model.active ? { typed: model.name } : {})}
        onConfirm={() => {
          setAsking(false)
          remove.mutate(model.name)
        }}
      >
        {model.active
          ? `It is the model in use. A search for cuts under way goes on with it; the next one ${next ? `listens with ${next.name}` : 'finds silences alone, as there is no other model here'}.`
          : 'It can be downloaded again. Transcripts that it made stay.'}
      </Confirm>
    </>
  )
}
