import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { spaceQuery } from '../../api/account'
import { billingQuery } from '../../api/billing'
import type { Schemas } from '../../api/client'
import { bytes } from '../../text/format'
import { settingsText } from '../../text/settings'
import { storageText } from '../../text/storage'
import { Meter } from '../../ui/Meter'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { StorageBar } from './StorageBar'
import { Loaded, Page } from './Page'

const PAGE = 10

/** The storage page: usage by type and the largest projects. */
export function Storage() {
  const [page, setPage] = useState(1)
  const space = useQuery(spaceQuery(page, PAGE))
  const billing = useQuery(billingQuery).data
  return (
    <Page title={settingsText.pages.storage}>
      <Loaded query={space} what={storageText.theUsage} height="h-64">
        {(s) => {
          const largest = Math.max(1, ...s.items.map((p) => p.total_bytes))
          return (
            <>
              <Section title={storageText.byType} description={storageText.byTypeHelp}>
                <div className="flex flex-col gap-6">
                  <StorageBar
                    parts={[
                      { name: storageText.recordings, bytes: s.clip_bytes, style: 'originals' },
                      { name: storageText.assets, bytes: s.asset_bytes, style: 'assets' },
                      { name: storageText.generated, bytes: s.derived_bytes, style: 'generated' },
                      { name: storageText.exports, bytes: s.export_bytes, style: 'exports' },
                    ]}
                  />
                  {billing && billing.plan_mode === 'metered' && (
                    <Meter
                      label={storageText.counted}
                      used={s.storage_used_bytes}
                      total={billing.storage_quota_bytes}
                      words={storageText.used(bytes(s.storage_used_bytes), bytes(billing.storage_quota_bytes))}
                      hint={storageText.countedHelp}
                    />
                  )}
                  {s.generated_quota_bytes !== null && (
                    <Meter
                      label={storageText.countedGenerated}
                      used={s.generated_bytes}
                      total={s.generated_quota_bytes}
                      words={storageText.used(bytes(s.generated_bytes), bytes(s.generated_quota_bytes))}
                      hint={storageText.countedGeneratedHelp}
                    />
                  )}
                </div>
              </Section>
              <Section title={storageText.largest} description={storageText.largestHelp}>
                {s.items.length === 0 ? (
                  <p className="text-sm text-muted">{storageText.noProjects}</p>
                ) : (
                  <ol aria-label={storageText.bySize} className="flex flex-col gap-1">
                    {s.items.map((p) => (
                      <li key={p.uuid}>
                        {p.trashed ? (
                          <div className="py-1.5">
                            <Row project={p} largest={largest} />
                          </div>
                        ) : (
                          <Link
                            to="/projects/$uuid"
                            params={{ uuid: p.uuid }}
                            search={{ at: undefined }}
                            className="-mx-2 block rounded-md px-2 py-1.5 hover:bg-hover"
                          >
                            <Row project={p} largest={largest} />
                          </Link>
                        )}
                      </li>
                    ))}
                  </ol>
                )}
                <Pager page={page} list={s} what={storageText.projects} onChange={setPage} />
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

// Row is the use of a project next to that of the largest one.
function Row({ project: p, largest }: { project: Schemas['ProjectSpace']; largest: number }) {
  return (
    <>
      <span className="flex items-baseline justify-between gap-4 text-sm">
        <span className="flex min-w-0 items-baseline gap-2">
          <span dir="auto" className="truncate font-medium">
            {p.name}
          </span>
          {p.trashed && <span className="shrink-0 text-xs text-muted">{storageText.inTrash}</span>}
        </span>
        <span className="shrink-0 text-muted">{bytes(p.total_bytes)}</span>
      </span>
      <span className="mt-1 block h-1 overflow-hidden rounded-full bg-hover" aria-hidden>
        <span
          className="block h-full rounded-full bg-accent"
          style={{ width: `${(100 * p.total_bytes) / largest}%` }}
        />
      </span>
      <span className="mt-1 block text-xs text-faint">
        {storageText.projectSummary(
          p.clip_count,
          bytes(p.clip_bytes),
          bytes(p.derived_bytes),
          p.export_count,
          bytes(p.export_bytes),
        )}
      </span>
    </>
  )
}
