import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { allInvoices, invoicesQuery, movementsQuery, type Invoice, type Movement } from '../../api/billing'
import { billingText } from '../../text/billing'
import { date, money } from '../../text/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Paged } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { Column, Table } from '../../ui/Table'
import { invoicesCSV, movementAmount, movementLabel } from './billing'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

/** The history of AI minutes. */
export function Movements() {
  const [page, setPage] = useState(1)
  const list = useQuery(movementsQuery(page))
  return (
    <Section title={billingText.movements} description={billingText.movementsHelp}>
      <Loaded query={list} what={billingText.theMovements} height="h-40">
        {(l) => (
          <Paged
            page={page}
            list={l}
            what={billingText.pagedMovements}
            empty={billingText.noMovements}
            onChange={setPage}
          >
            <Table
              label={billingText.movements}
              head={
                <>
                  <Column>{billingText.date}</Column>
                  <Column>{billingText.event}</Column>
                  <Column className="text-right">{billingText.minutes}</Column>
                </>
              }
            >
              {l.items.map((m, i) => (
                <MovementRow key={`${m.created_at}-${i}`} movement={m} />
              ))}
            </Table>
          </Paged>
        )}
      </Loaded>
    </Section>
  )
}

function MovementRow({ movement: m }: { movement: Movement }) {
  return (
    <tr>
      <td className="w-28 whitespace-nowrap text-muted">{date(m.created_at)}</td>
      <td>
        {m.project_uuid ? (
          <Link
            to="/projects/$uuid"
            params={{ uuid: m.project_uuid }}
            search={{ at: undefined }}
            className="hover:underline"
          >
            {movementLabel(m)}
          </Link>
        ) : (
          movementLabel(m)
        )}{' '}
        {m.beta && <Badge>{billingText.beta}</Badge>}
      </td>
      <td
        className={`text-right whitespace-nowrap ${m.kind === 'grant' || m.kind === 'release' ? 'text-accent' : m.kind === 'charge' ? 'text-faint' : ''}`}
      >
        {movementAmount(m)}
      </td>
    </tr>
  )
}

/** The invoices, with a CSV download. */
export function Invoices() {
  const [page, setPage] = useState(1)
  const list = useQuery(invoicesQuery(page))
  const download = useServerChange(allInvoices, [], (all) => saveText(billingText.csvName, invoicesCSV(all)))
  const hasInvoices = (list.data?.total ?? 0) > 0
  return (
    <Section
      title={billingText.invoices}
      action={
        hasInvoices && (
          <Button disabled={download.isPending} onClick={() => download.mutate(undefined)}>
            <Download size={14} aria-hidden /> {billingText.downloadCSV}
          </Button>
        )
      }
    >
      <Loaded query={list} what={billingText.theInvoices} height="h-24">
        {(l) => (
          <Paged
            page={page}
            list={l}
            what={billingText.pagedInvoices}
            empty={billingText.noInvoices}
            onChange={setPage}
          >
            <Table
              label={billingText.invoices}
              head={
                <>
                  <Column>{billingText.date}</Column>
                  <Column>{billingText.item}</Column>
                  <Column>{billingText.status}</Column>
                  <Column className="text-right">{billingText.amount}</Column>
                </>
              }
            >
              {l.items.map((i) => (
                <tr key={i.uuid}>
                  <td className="w-28 whitespace-nowrap text-muted">{date(i.created_at)}</td>
                  <td>
                    {i.description} <span className="block text-xs text-faint">{period(i)}</span>
                  </td>
                  <td className="whitespace-nowrap">
                    {i.status === 'paid' ? (
                      <Badge tone="accent">{billingText.paid}</Badge>
                    ) : (
                      <Badge>{billingText.open}</Badge>
                    )}
                  </td>
                  <td className="text-right whitespace-nowrap">{money(i.amount_cents, i.currency)}</td>
                </tr>
              ))}
            </Table>
          </Paged>
        )}
      </Loaded>
    </Section>
  )
}

const period = (i: Invoice) =>
  i.period_start && i.period_end
    ? billingText.period(billingText.kinds[i.kind], date(i.period_start), date(i.period_end))
    : billingText.kinds[i.kind]

function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
