import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { toast } from 'sonner'
import {
  cancelModelDownload,
  chooseModel,
  deleteModel,
  describeModel,
  speedText,
  downloadModel,
  forgetModelChoice,
  modelIsSetQuery,
  modelsQuery,
  type Model,
} from '../../api/models'
import { sessionQuery } from '../../api/session'
import { commonText } from '../../text/common'
import { bytes } from '../../text/format'
import { modelsText } from '../../text/models'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Notice } from '../../ui/Notice'
import { Progress } from '../../ui/Progress'
import { Section } from '../../ui/Section'
import { AddModel } from '../AddModel'
import { Loaded, Page } from './Page'
import { useServerChange } from './useServerChange'

/** The speech models page: installed models and those available for download. */
export function Models() {
  const models = useQuery(modelsQuery)
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const isSet = useQuery(modelIsSetQuery).data === true
  return (
    <Page title={modelsText.pageTitle}>
      <Loaded query={models} what={modelsText.theModels} height="h-96">
        {(list) => {
          const installed = list.filter((m) => m.installed)
          const others = list.filter((m) => !m.installed)
          return (
            <>
              <Section
                title={modelsText.installed}
                description={`${modelsText.installedHelp} ${selectionHelp(installed, isSet)}`}
                action={admin && !isSet && <UseLargest chosen={installed.find((m) => m.chosen)} />}
              >
                {installed.length === 0 ? (
                  <Notice title={modelsText.noneTitle}>
                    {modelsText.noneHelp} {admin ? modelsText.noneAdmin : modelsText.noneUser}
                  </Notice>
                ) : (
                  <Rows label={modelsText.installed} list={installed} admin={admin} isSet={isSet} />
                )}
                {admin && (
                  <div className="mt-3 border-t border-line pt-3">
                    <AddModel />
                  </div>
                )}
              </Section>
              <Section title={modelsText.available} description={modelsText.availableHelp}>
                {others.length === 0 ? (
                  <p className="text-sm text-muted">{modelsText.allInstalled}</p>
                ) : (
                  <Available list={others} admin={admin} isSet={isSet} />
                )}
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

// Available lists the models that most people want, and the others behind one line.
function Available({ list, ...rest }: Omit<RowsProps, 'label'>) {
  const isFirst = (m: Model) => m.proposed || m.download !== null || describeModel(m.name).recommended
  const others = list.filter((m) => !isFirst(m))
  return (
    <>
      <Rows label={modelsText.available} list={list.filter(isFirst)} {...rest} />
      {others.length > 0 && (
        <details className="group border-t border-line pt-3">
          <summary className="flex w-fit cursor-pointer items-center gap-1.5 text-sm font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
            {modelsText.otherModels}
          </summary>
          <Rows label={modelsText.otherModels} list={others} {...rest} />
        </details>
      )}
    </>
  )
}

function selectionHelp(installed: Model[], isSet: boolean): string {
  if (isSet) return modelsText.modelIsSet
  if (installed.some((m) => m.chosen)) return modelsText.chosenIsUsed
  return installed.length > 1 ? modelsText.largestUntilChosen : modelsText.largestIsUsed
}

/** A button that resets the chosen model to the largest one; renders nothing if no model was chosen. */
function UseLargest({ chosen }: { chosen: Model | undefined }) {
  const forget = useServerChange(forgetModelChoice, STALE)
  if (!chosen) return null
  return (
    <Button size="sm" disabled={forget.isPending} onClick={() => forget.mutate(chosen.name)}>
      {modelsText.useLargest}
    </Button>
  )
}

interface RowsProps {
  label: string
  list: Model[]
  admin: boolean
  /** Whether the SPEECH_MODEL setting selects the model. */
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
  const info = describeModel(model.name)
  const download = model.download
  const received = download?.received_bytes ?? 0
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-40">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {info.title}
          {model.multilingual && <Badge>{commonText.multilingual}</Badge>}
          {model.active && <Badge tone="accent">{modelsText.inUse}</Badge>}
          {info.recommended && !model.proposed && !model.installed && (
            <Badge tone="accent">{modelsText.recommended}</Badge>
          )}
          {model.proposed && <Badge tone="accent">{modelsText.proposed}</Badge>}
        </p>
        <p className="text-xs text-muted">{info.description}</p>
        <p className="text-xs text-faint">
          {model.name} · {bytes(model.size_bytes)}
          {speedText(model) && ` · ${speedText(model)}`}
        </p>
      </div>
      {info.accuracy > 0 && (
        <dl className="flex w-28 flex-col gap-1 text-xs text-muted max-lg:hidden">
          <Dots name={modelsText.accuracy} value={info.accuracy} />
          <Dots name={modelsText.speed} value={info.speed} />
        </dl>
      )}
      <div className="flex w-36 justify-end gap-2 phone:w-auto phone:justify-start">{actions}</div>
      {download && (
        <div className="basis-full">
          <p
            className={`mb-1 text-xs ${download.status === 'failed' ? 'text-danger' : 'text-faint'}`}
            aria-live="polite"
          >
            {download.status === 'failed'
              ? (download.error ?? '')
              : download.status === 'loading'
                ? modelsText.received(bytes(received), bytes(model.size_bytes))
                : modelsText.stoppedAt(bytes(received), bytes(model.size_bytes))}
          </p>
          {download.status === 'loading' && (
            <Progress value={(100 * received) / model.size_bytes} label={modelsText.downloading(model.name)} />
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
        <span role="img" aria-label={modelsText.rating(value)} className="flex gap-1">
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
  /** The model to use after the active one is deleted. */
  next: Model | undefined
}

function Actions({ model, isSet, next }: ActionsProps) {
  const [asking, setAsking] = useState(false)
  const start = useServerChange(downloadModel, STALE)
  const stop = useServerChange(cancelModelDownload, STALE)
  const remove = useServerChange(deleteModel, STALE)
  const choose = useServerChange(chooseModel, STALE, (chosen) =>
    toast.success(modelsText.nowUsed(chosen.name), { description: modelsText.nowUsedHelp }),
  )

  if (model.download?.status === 'loading') {
    return (
      <Button
        size="sm"
        disabled={stop.isPending}
        aria-label={modelsText.stopDownload(model.name)}
        onClick={() => stop.mutate(model.name)}
      >
        {modelsText.stop}
      </Button>
    )
  }

  const partial = !model.installed && model.download !== null
  return (
    <>
      {!model.installed && (
        <Button
          size="sm"
          variant={model.proposed ? 'primary' : 'plain'}
          disabled={start.isPending}
          aria-label={modelsText.downloadModel(model.name)}
          onClick={() => start.mutate(model.name)}
        >
          {partial ? modelsText.resume : modelsText.download}
        </Button>
      )}
      {model.installed && !model.active && !isSet && (
        <Button
          size="sm"
          disabled={choose.isPending}
          aria-label={modelsText.useModel(model.name)}
          onClick={() => choose.mutate(model.name)}
        >
          {modelsText.use}
        </Button>
      )}
      {(partial || (model.installed && !(model.active && isSet))) && (
        <Button
          size="sm"
          disabled={remove.isPending}
          aria-label={modelsText.deleteModel(model.name)}
          onClick={() => setAsking(true)}
        >
          {commonText.delete}
        </Button>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={modelsText.confirmDelete(model.name)}
        yes={commonText.delete}
        {...(model.active ? { typed: model.name } : {})}
        onConfirm={() => {
          setAsking(false)
          remove.mutate(model.name)
        }}
      >
        {model.active
          ? modelsText.deleteActive(next?.name)
          : model.sha256 !== null
            ? modelsText.deleteHelp
            : modelsText.deleteOwn}
      </Confirm>
    </>
  )
}
