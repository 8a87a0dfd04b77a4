import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serverStorageQuery, systemQuery, type ServerStorage, type System } from '../../api/admin'
import { formatAge, formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Meter } from '../../ui/Meter'
import { Notice } from '../../ui/Notice'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { tableFrame, tableClass } from '../../ui/table'
import { StorageBar } from './StorageBar'
import { Loaded, Page } from './Page'

/** How the server does. */
export function Server() {
  const system = useQuery(systemQuery)
  return (
    <Page title="Server">
      <Loaded query={system} what="The state of the server" height="h-48">
        {(s) => (
          <>
            <Health system={s} />
            <Disk />
            <Versions system={s} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const KINDS = {
  import: 'Imports',
  clip: 'Recordings to read',
  analysis: 'Analyses',
  export: 'Exports',
  asset: 'Assets',
}
const INDEX = { ready: 'Up to date', behind: 'Catching up', building: 'Being built; search answers later' }

function Health({ system: s }: { system: System }) {
  const facts = [
    ['Started', formatAge(s.started_at)],
    ['Workers', `${s.workers} at the same time`],
    ['Search', INDEX[s.search_index]],
    ['Accounts', s.users.toLocaleString('en')],
    ['Projects', s.projects.toLocaleString('en')],
    ['Mails waiting', s.queued_mails.toLocaleString('en')],
  ] as const
  return (
    <Section
      title="Health"
      action={s.ready ? <Badge tone="accent">Ready</Badge> : <Badge tone="danger">Not ready</Badge>}
      description="As it is now; these figures follow by themselves."
    >
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="text-sm font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      <div className={`mt-5 ${tableFrame}`}>
        <table className={tableClass} aria-label="Work">
          <thead>
            <tr>
              <th scope="col">Work</th>
              <th scope="col" className="!text-right">
                Under way
              </th>
              <th scope="col" className="!text-right">
                Waiting
              </th>
            </tr>
          </thead>
          <tbody>
            {s.jobs.map((j) => (
              <tr key={j.kind}>
                <td>{KINDS[j.kind]}</td>
                <td className="text-right">{j.running}</td>
                <td className="text-right">{j.queued}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {s.oldest_queued_at && (
        <p className="mt-2 text-xs text-faint">The longest has waited since {formatAge(s.oldest_queued_at)}.</p>
      )}
      <p className="mt-4 text-xs text-muted">
        For graphs and alarms, set <code className="rounded-sm bg-hover px-1">METRICS_ADDR</code>: it answers there to
        Prometheus. <code className="rounded-sm bg-hover px-1">/healthz</code> and{' '}
        <code className="rounded-sm bg-hover px-1">/readyz</code> are for whoever keeps the server running.
      </p>
    </Section>
  )
}

function Disk() {
  const [page, setPage] = useState(1)
  const storage = useQuery(serverStorageQuery(page))
  return (
    <Section title="Disk" description="What everybody's files take, with the accounts that take the most first.">
      <Loaded query={storage} what="The figures" height="h-48">
        {(s) => (
          <div className="flex flex-col gap-6">
            <Space storage={s} />
            <div>
              <div className={tableFrame}>
                <table className={tableClass} aria-label="Accounts by space">
                  <thead>
                    <tr>
                      <th scope="col">Account</th>
                      <th scope="col" className="!text-right">
                        Counts towards the plan
                      </th>
                      <th scope="col" className="!text-right">
                        All files
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {s.items.map((share) => (
                      <tr key={share.user_uuid}>
                        <td className="max-w-64 truncate">{share.email}</td>
                        <td className="text-right">{formatSize(share.storage_used_bytes)}</td>
                        <td className="text-right">{formatSize(share.file_bytes)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={s.page_size} total={s.total} what="accounts" onChange={setPage} />
            </div>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function Space({ storage: s }: { storage: ServerStorage }) {
  const taken = s.database_bytes + s.original_bytes + s.derived_bytes + s.export_bytes + s.upload_bytes + s.model_bytes
  const low = s.disk_free_bytes <= s.disk_reserve_bytes
  return (
    <>
      {low && (
        <Notice tone="danger" title="The disk is nearly full">
          {formatSize(s.disk_free_bytes)} are free, and uploads leave {formatSize(s.disk_reserve_bytes)} alone: they are
          refused now. Delete projects or exports, or give the data directory more room.
        </Notice>
      )}
      <StorageBar
        parts={[
          { name: 'Originals', bytes: s.original_bytes, pattern: 'silence' },
          { name: 'Made of them', bytes: s.derived_bytes, pattern: 'false_start' },
          { name: 'Exports', bytes: s.export_bytes, pattern: 'manual' },
          {
            name: 'Models, uploads, database',
            bytes: s.model_bytes + s.upload_bytes + s.database_bytes,
            pattern: 'filler',
          },
        ]}
      />
      <Meter
        label="Disk"
        used={taken}
        total={taken + s.disk_free_bytes}
        words={`${formatSize(s.disk_free_bytes)} free`}
        hint={`Models ${formatSize(s.model_bytes)}, unfinished uploads ${formatSize(s.upload_bytes)}, database ${formatSize(s.database_bytes)}. Uploads leave ${formatSize(s.disk_reserve_bytes)} of the free space alone.`}
      />
    </>
  )
}

function Versions({ system }: { system: System }) {
  return (
    <Section title="Versions">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {system.components.map((c) => (
          <div key={c.name} className="contents">
            <dt className="text-muted">{c.name}</dt>
            <dd className="min-w-0 break-words">{c.version}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
