import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import {
  paymentPage,
  pricesQuery,
  quoteQuery,
  scheduleDowngrade,
  upgrade,
  type Billing,
  type Price,
} from '../../api/billing'
import { messageOf, Problem } from '../../api/client'
import { queryKeys } from '../../api/keys'
import { formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { day, money, stepTo, tierName } from './billing'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

const INTERVALS = [
  { value: 'month', label: 'By the month' },
  { value: 'year', label: 'By the year' },
] as const

/** What is for sale, and the way up or down to it. */
export function Prices({ billing }: { billing: Billing }) {
  const prices = useQuery(pricesQuery)
  const [interval, setInterval] = useState<Price['interval']>(billing.billing_interval === 'year' ? 'year' : 'month')
  const [chosen, setChosen] = useState<Price | null>(null)
  return (
    <Section
      title="Plans"
      description="Change whenever you like. Going up, the days that you have paid for are counted; going down waits for the end of what is paid."
    >
      <Loaded query={prices} what="The prices" height="h-64">
        {(list) => {
          const shown = list.filter((p) => p.interval === interval)
          if (list.length === 0)
            return <p className="text-sm text-muted">This server sells no plans. Its admin grants them.</p>
          return (
            <div className="flex flex-col gap-4">
              <div className="max-w-xs">
                <Choice label="Paid" value={interval} options={INTERVALS} onChange={setInterval} />
              </div>
              <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
                {shown.map((price) => (
                  <Offer key={price.price_id} price={price} billing={billing} onChoose={() => setChosen(price)} />
                ))}
              </ul>
              {shown.length === 0 && <p className="text-sm text-muted">Nothing is sold by the {interval}.</p>}
            </div>
          )
        }}
      </Loaded>
      {chosen &&
        (stepTo(chosen, billing) === 'upgrade' ? (
          <Upgrade price={chosen} onClose={() => setChosen(null)} />
        ) : (
          <Downgrade price={chosen} billing={billing} onClose={() => setChosen(null)} />
        ))}
    </Section>
  )
}

function Offer({ price, billing, onChoose }: { price: Price; billing: Billing; onChoose: () => void }) {
  const step = stepTo(price, billing)
  const e = price.entitlements
  const scheduled = billing.scheduled_price_id === price.price_id
  const lines = [
    `${e.ai_minutes.toLocaleString('en')} AI minutes a month`,
    `${formatSize(e.storage_quota_bytes)} for recordings`,
    `${e.max_projects.toLocaleString('en')} projects`,
    `Exports kept ${Math.round(e.export_retention_seconds / 86400)} days`,
    e.watermark_free ? 'No watermark' : 'With a watermark',
    ...(e.ai_director ? ['AI Director'] : []),
    ...(e.support ? ['Support by mail'] : []),
  ]
  return (
    <li
      className={`flex flex-col rounded-lg border p-4 ${step === 'current' ? 'border-accent bg-accent-soft' : 'border-line bg-raised'}`}
    >
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{tierName(price.tier)}</h3>
        {step === 'current' && <Badge tone="accent">Yours</Badge>}
        {scheduled && <Badge>Scheduled</Badge>}
      </div>
      <p className="mt-1 text-lg font-semibold tracking-tight">
        {money(price.amount_cents, price.currency)}{' '}
        <span className="text-xs font-normal text-muted">a {price.interval}</span>
      </p>
      <ul className="mt-3 mb-4 flex flex-1 flex-col gap-1 text-xs text-muted">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {step !== 'current' && (
        <Button
          variant={step === 'upgrade' ? 'primary' : 'plain'}
          disabled={scheduled || (step === 'downgrade' && !billing.billing_interval)}
          onClick={onChoose}
          aria-label={`${step === 'upgrade' ? 'Upgrade' : 'Change'} to ${tierName(price.tier)} by the ${price.interval}`}
        >
          {step === 'upgrade' ? 'Upgrade' : 'Change to this'}
        </Button>
      )}
    </li>
  )
}

const STALE = [queryKeys.billing, queryKeys.allMovements, queryKeys.allInvoices]

function Upgrade({ price, onClose }: { price: Price; onClose: () => void }) {
  const quote = useQuery(quoteQuery(price.price_id))
  const pay = useServerChange(
    upgrade,
    STALE,
    (result) => {
      toast.success(`You are on ${tierName(result.billing.tier)}`, {
        description:
          result.charged_cents > 0
            ? `${money(result.charged_cents, result.currency)} were charged.`
            : 'Nothing was charged.',
      })
      onClose()
    },
    true,
  )
  const refusal = pay.error
  const needsCard =
    refusal instanceof Problem && (refusal.code === 'payment_method_required' || refusal.code === 'payment_declined')
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`${tierName(price.tier)} by the ${price.interval}`}
      description="What changes, and what it costs, before anything is charged."
    >
      <Loaded query={quote} what="The charge" height="h-36">
        {(q) => (
          <div className="flex flex-col gap-5">
            {refusal && (
              <Notice
                tone="danger"
                title={needsCard ? 'The payment did not go through; nothing has changed' : 'Nothing was charged'}
                action={needsCard && <LeaveCard />}
              >
                {messageOf(refusal)}
              </Notice>
            )}
            <dl className="flex flex-col gap-2 text-sm">
              <Line name={`${tierName(price.tier)}, one ${price.interval}`} value={money(q.price_cents, q.currency)} />
              {q.counted_cents > 0 && (
                <Line name="Days that you have paid for already" value={money(-q.counted_cents, q.currency)} />
              )}
              <Line strong name="Charged now" value={money(q.charged_cents, q.currency)} />
              {q.credit_cents > 0 && (
                <Line name="Left over, counted against the next charges" value={money(q.credit_cents, q.currency)} />
              )}
            </dl>
            <p className="text-sm text-muted">
              The new limits hold at once, and your AI minutes are raised to{' '}
              {price.entitlements.ai_minutes.toLocaleString('en')}. The plan renews on {day(q.period_ends_at)}.
            </p>
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>Not now</Button>
              <Button variant="primary" disabled={pay.isPending} onClick={() => pay.mutate(price.price_id)}>
                {pay.isPending
                  ? 'Paying…'
                  : q.charged_cents > 0
                    ? `Pay ${money(q.charged_cents, q.currency)}`
                    : 'Upgrade'}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function LeaveCard() {
  const go = useServerChange(paymentPage, [], (url) => window.location.assign(url))
  return (
    <Button size="sm" disabled={go.isPending} onClick={() => go.mutate(undefined)}>
      Leave a card
    </Button>
  )
}

function Line({ name, value, strong = false }: { name: string; value: string; strong?: boolean }) {
  return (
    <div className={`flex justify-between gap-4 ${strong ? 'border-t border-line pt-2 font-semibold' : ''}`}>
      <dt className={strong ? '' : 'text-muted'}>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Downgrade({ price, billing, onClose }: { price: Price; billing: Billing; onClose: () => void }) {
  const change = useServerChange(
    scheduleDowngrade,
    STALE,
    () => {
      toast.success('The change is scheduled')
      onClose()
    },
    true,
  )
  const e = price.entitlements
  const over = [
    billing.storage_used_bytes > e.storage_quota_bytes
      ? `you use ${formatSize(billing.storage_used_bytes)} of the ${formatSize(e.storage_quota_bytes)} that it holds`
      : '',
    billing.project_count > e.max_projects
      ? `you have ${billing.project_count} projects, and it holds ${e.max_projects}`
      : '',
  ].filter((o) => o !== '')
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Change to ${tierName(price.tier)} by the ${price.interval}`}
    >
      <div className="flex flex-col gap-4 text-sm text-muted">
        <p>
          {billing.current_period_ends_at
            ? `Until ${day(billing.current_period_ends_at)} everything stays as it is. Then`
            : 'When the period ends,'}{' '}
          {money(price.amount_cents, price.currency)} a {price.interval} are charged, and AI minutes above{' '}
          {e.ai_minutes.toLocaleString('en')} expire.
        </p>
        <p>Projects and files stay, also beyond the new limits; only new ones are refused.</p>
        {over.length > 0 && <Notice title="You are beyond its limits">{`${over.join(', and ')}.`}</Notice>}
        {change.isError && (
          <Notice tone="danger" title="Nothing was changed">
            {messageOf(change.error)}
          </Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep {tierName(billing.tier)}</Button>
          <Button variant="primary" disabled={change.isPending} onClick={() => change.mutate(price.price_id)}>
            Schedule the change
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
