import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serverStorageQuery, systemQuery, type ServerStorage, type System } from '../../api/admin'
import { bytes, number, relativeTime } from '../../text/format'
import { Rich } from '../../text/Rich'
import { serverText } from '../../text/server'
import { settingsText } from '../../text/settings'
import { Badge } from '../../ui/Badge'
import { Meter } from '../../ui/Meter'
import { Notice } from '../../ui/Notice'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { Column, Table } from '../../ui/Table'
import { StorageBar } from './StorageBar'
import { Loaded, Page } from './Page'

/** The server page for admins: status, disk usage and versions. */
export function Server() {
  const system = useQuery(systemQuery)
  return (
    <Page title={settingsText.pages.server}>
      <Loaded query={system} what={serverText.theStatus} height="h-48">
        {(s) => (
          <>
            <Status system={s} />
            <Disk />
            <Encoder encoder={s.encoder} />
            <Versions system={s} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Code = ({ name }: { name: string }) => <code className="rounded-sm bg-hover px-1">{name}</code>

function Status({ system: s }: { system: System }) {
  const facts = [
    [serverText.started, relativeTime(s.started_at)],
    [serverText.workers, serverText.workerCount(s.workers)],
    [serverText.searchIndex, serverText.searchStates[s.search_index]],
    [serverText.accounts, number(s.users)],
    [serverText.projects, number(s.projects)],
    [serverText.queuedEmails, number(s.queued_mails)],
  ] as const

  return (
    <Section
      title={serverText.status}
      action={
        s.ready ? <Badge tone="accent">{serverText.ready}</Badge> : <Badge tone="danger">{serverText.notReady}</Badge>
      }
      description={serverText.statusHelp}
    >
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="text-sm font-medium">{value}</dd>
          </div>
        ))}
      </dl>
      <Table
        label={serverText.jobs}
        className="mt-5"
        head={
          <>
            <Column>{serverText.jobs}</Column>
            <Column className="text-right">{serverText.running}</Column>
            <Column className="text-right">{serverText.waiting}</Column>
          </>
        }
      >
        {s.jobs.map((j) => (
          <tr key={j.kind}>
            <td>{serverText.kinds[j.kind]}</td>
            <td className="text-right">{j.running}</td>
            <td className="text-right">{j.queued}</td>
          </tr>
        ))}
      </Table>
      {s.oldest_queued_at && (
        <p className="mt-2 text-xs text-faint">{serverText.oldest(relativeTime(s.oldest_queued_at))}</p>
      )}
      <p className="mt-4 text-xs text-muted">
        <Rich
          text={serverText.monitoring}
          parts={{
            METRICS_ADDR: <Code name="METRICS_ADDR" />,
            healthz: <Code name="/healthz" />,
            readyz: <Code name="/readyz" />,
          }}
        />
      </p>
    </Section>
  )
}

function Disk() {
  const [page, setPage] = useState(1)
  const storage = useQuery(serverStorageQuery(page))
  return (
    <Section title={serverText.disk} description={serverText.diskHelp}>
      <Loaded query={storage} what={serverText.theUsage} height="h-48">
        {(s) => (
          <div className="flex flex-col gap-6">
            <Space storage={s} />
            <div>
              <Table
                label={serverText.byAccount}
                head={
                  <>
                    <Column>{serverText.account}</Column>
                    <Column className="text-right">{serverText.counted}</Column>
                    <Column className="text-right">{serverText.allFiles}</Column>
                  </>
                }
              >
                {s.items.map((share) => (
                  <tr key={share.user_uuid}>
                    <td className="max-w-64 truncate">{share.email}</td>
                    <td className="text-right">{bytes(share.storage_used_bytes)}</td>
                    <td className="text-right">{bytes(share.file_bytes)}</td>
                  </tr>
                ))}
              </Table>
              <Pager page={page} list={s} what={serverText.pagedAccounts} onChange={setPage} />
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
        <Notice tone="danger" title={serverText.diskFull}>
          {serverText.diskFullHelp(bytes(s.disk_free_bytes), bytes(s.disk_reserve_bytes))}
        </Notice>
      )}
      <StorageBar
        parts={[
          { name: serverText.originals, bytes: s.original_bytes, style: 'originals' },
          { name: serverText.generated, bytes: s.derived_bytes, style: 'generated' },
          { name: serverText.exports, bytes: s.export_bytes, style: 'exports' },
          {
            name: serverText.other,
            bytes: s.model_bytes + s.upload_bytes + s.database_bytes,
            style: 'assets',
          },
        ]}
      />
      <Meter
        label={serverText.disk}
        used={taken}
        total={taken + s.disk_free_bytes}
        words={serverText.free(bytes(s.disk_free_bytes))}
        hint={serverText.diskDetails(
          bytes(s.model_bytes),
          bytes(s.upload_bytes),
          bytes(s.database_bytes),
          bytes(s.disk_reserve_bytes),
        )}
      />
    </>
  )
}

function Encoder({ encoder: e }: { encoder: System['encoder'] }) {
  return (
    <Section
      title={serverText.encoder}
      description={<Rich text={serverText.encoderHelp} parts={{ ENCODER: <Code name="ENCODER" /> }} />}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        <dt className="text-muted">{serverText.encoderInUse}</dt>
        <dd className="font-medium">{e.name === 'software' ? serverText.softwareEncoder : e.name}</dd>
        {e.tests.map((t) => (
          <div key={t.name} className="contents">
            <dt className="text-muted">{t.name}</dt>
            <dd className="min-w-0 break-words">{t.fault ?? serverText.encoderPassed}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function Versions({ system }: { system: System }) {
  return (
    <Section title={serverText.versions}>
      <dl className="grid grid-cols-[auto_1fr_auto_1fr] gap-x-6 gap-y-1 text-sm phone:grid-cols-[auto_1fr]">
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
