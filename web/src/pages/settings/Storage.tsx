import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { spaceQuery } from '../../api/account'
import { billingQuery } from '../../api/billing'
import { count, formatSize } from '../../editor/format'
import { Meter } from '../../ui/Meter'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { StorageBar } from './StorageBar'
import { Loaded, Page } from './Page'

const PAGE = 10

/** What takes the space, and where it can be won back. */
export function Storage() {
  const [page, setPage] = useState(1)
  const space = useQuery(spaceQuery(page, PAGE))
  const billing = useQuery(billingQuery).data
  return (
    <Page title="Storage">
      <Loaded query={space} what="The figures" height="h-64">
        {(s) => {
          const largest = Math.max(1, ...s.items.map((p) => p.total_bytes))
          return (
            <>
              <Section
                title="By kind"
                description="Originals are never changed. What was made of them, such as the small copies that play while you edit, comes along and does not count towards your plan."
              >
                <div className="flex flex-col gap-6">
                  <StorageBar
                    parts={[
                      { name: 'Recordings', bytes: s.clip_bytes, pattern: 'silence' },
                      { name: 'Assets', bytes: s.asset_bytes, pattern: 'filler' },
                      { name: 'Made of them', bytes: s.derived_bytes, pattern: 'false_start' },
                      { name: 'Exports', bytes: s.export_bytes, pattern: 'manual' },
                    ]}
                  />
                  {billing && billing.plan_mode === 'metered' && (
                    <Meter
                      label="Counts towards your plan"
                      used={s.storage_used_bytes}
                      total={billing.storage_quota_bytes}
                      words={`${formatSize(s.storage_used_bytes)} of ${formatSize(billing.storage_quota_bytes)}`}
                      hint="Recordings and assets that you have added."
                    />
                  )}
                </div>
              </Section>
              <Section
                title="Largest projects"
                description="Deleting a clip, an export or a project gives its space back at once."
              >
                {s.items.length === 0 ? (
                  <p className="text-sm text-muted">There are no projects yet.</p>
                ) : (
                  <ol aria-label="Projects by size" className="flex flex-col gap-1">
                    {s.items.map((p) => (
                      <li key={p.uuid}>
                        <Link
                          to="/projects/$uuid"
                          params={{ uuid: p.uuid }}
                          search={{ at: undefined }}
                          className="-mx-2 block rounded-md px-2 py-1.5 hover:bg-hover"
                        >
                          <span className="flex items-baseline justify-between gap-4 text-sm">
                            <span dir="auto" className="truncate font-medium">
                              {p.name}
                            </span>
                            <span className="shrink-0 text-muted">{formatSize(p.total_bytes)}</span>
                          </span>
                          <span className="mt-1 block h-1 overflow-hidden rounded-full bg-hover" aria-hidden>
                            <span
                              className="block h-full rounded-full bg-accent"
                              style={{ width: `${(100 * p.total_bytes) / largest}%` }}
                            />
                          </span>
                          <span className="mt-1 block text-xs text-faint">
                            {count(p.clip_count, 'clip')} {formatSize(p.clip_bytes)}, made of them{' '}
                            {formatSize(p.derived_bytes)}, {count(p.export_count, 'export')}{' '}
                            {formatSize(p.export_bytes)}
                          </span>
                        </Link>
                      </li>
                    ))}
                  </ol>
                )}
                <Pager page={page} size={PAGE} total={s.total} what="projects" onChange={setPage} />
              </Section>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
