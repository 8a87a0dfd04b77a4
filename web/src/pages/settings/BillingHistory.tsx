import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { allInvoices, invoicesQuery, LEDGER_PAGE, movementsQuery, type Invoice, type Movement } from '../../api/billing'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { tableFrame, tableClass } from '../../ui/table'
import { day, invoicesCSV, money, movementAmount, movementWords } from './billing'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

/** What came of the AI minutes. */
export function Movements() {
  const [page, setPage] = useState(1)
  const list = useQuery(movementsQuery(page))
  return (
    <Section
      title="AI minutes, one by one"
      description="An analysis holds its minutes when it begins. They are spent when it is done, and given back where it fails or is cancelled."
    >
      <Loaded query={list} what="The history" height="h-40">
        {(l) =>
          l.total === 0 ? (
            <p className="text-sm text-muted">Nothing has happened yet.</p>
          ) : (
            <>
              <div className={tableFrame}>
                <table className={tableClass} aria-label="Movements of AI minutes">
                  <thead>
                    <tr>
                      <th scope="col">Date</th>
                      <th scope="col">What</th>
                      <th scope="col" className="!text-right">
                        Minutes
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {l.items.map((m, i) => (
                      <MovementRow key={`${m.created_at}-${i}`} movement={m} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={LEDGER_PAGE} total={l.total} what="AI minutes" onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function MovementRow({ movement: m }: { movement: Movement }) {
  return (
    <tr>
      <td className="w-28 whitespace-nowrap text-muted">{day(m.created_at)}</td>
      <td>
        {m.project_uuid ? (
          <Link
            to="/projects/$uuid"
            params={{ uuid: m.project_uuid }}
            search={{ at: undefined }}
            className="hover:underline"
          >
            {movementWords(m)}
          </Link>
        ) : (
          movementWords(m)
        )}{' '}
        {m.beta && <Badge>Beta</Badge>}
      </td>
      <td
        className={`text-right whitespace-nowrap ${m.kind === 'grant' || m.kind === 'release' ? 'text-accent' : m.kind === 'charge' ? 'text-faint' : ''}`}
      >
        {movementAmount(m)}
      </td>
    </tr>
  )
}

const KINDS: Record<Invoice['kind'], string> = {
  charge: 'Charge',
  proration: 'Days paid before',
  refund: 'Refund',
  discount: 'Discount',
  grant: 'Grant',
}

/** What was paid. */
export function Invoices() {
  const [page, setPage] = useState(1)
  const list = useQuery(invoicesQuery(page))
  const download = useServerChange(allInvoices, [], (all) => save('roughcut-invoices.csv', invoicesCSV(all)))
  const some = (list.data?.total ?? 0) > 0
  return (
    <Section
      title="Invoices"
      action={
        some && (
          <Button disabled={download.isPending} onClick={() => download.mutate(undefined)}>
            <Download size={14} aria-hidden /> Download as a table
          </Button>
        )
      }
    >
      <Loaded query={list} what="The invoices" height="h-24">
        {(l) =>
          l.total === 0 ? (
            <p className="text-sm text-muted">
              Nothing has been charged. Every charge, discount and refund will be listed here.
            </p>
          ) : (
            <>
              <div className={tableFrame}>
                <table className={tableClass} aria-label="Invoices">
                  <thead>
                    <tr>
                      <th scope="col">Date</th>
                      <th scope="col">For</th>
                      <th scope="col">State</th>
                      <th scope="col" className="!text-right">
                        Amount
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {l.items.map((i) => (
                      <tr key={i.uuid}>
                        <td className="w-28 whitespace-nowrap text-muted">{day(i.created_at)}</td>
                        <td>
                          {i.description} <span className="block text-xs text-faint">{period(i)}</span>
                        </td>
                        <td className="whitespace-nowrap">
                          {i.status === 'paid' ? <Badge tone="accent">Paid</Badge> : <Badge>Open</Badge>}
                        </td>
                        <td className="text-right whitespace-nowrap">{money(i.amount_cents, i.currency)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={LEDGER_PAGE} total={l.total} what="invoices" onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

const period = (i: Invoice) =>
  i.period_start && i.period_end ? `${KINDS[i.kind]}, ${day(i.period_start)} – ${day(i.period_end)}` : KINDS[i.kind]

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
