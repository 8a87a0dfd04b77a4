import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import {
  allMovements,
  billingQuery,
  invoicePages,
  paymentPage,
  pricesQuery,
  quoteQuery,
  scheduleDowngrade,
  upgrade,
  type Billing,
  type Price,
} from '../../api/billing'
import { messageOf, Problem } from '../../api/client'
import { billingText } from '../../text/billing'
import { bytes, date, money } from '../../text/format'
import { settingsText } from '../../text/settings'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { stepTo, tierName } from './billing'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

const INTERVALS = [
  { value: 'month', label: billingText.intervals.month },
  { value: 'year', label: billingText.intervals.year },
] as const

/** The subscriptions that the server sells, with upgrades and downgrades. */
export function Prices({ billing }: { billing: Billing }) {
  const prices = useQuery(pricesQuery)
  const [interval, setInterval] = useState<Price['interval']>(billing.billing_interval === 'year' ? 'year' : 'month')
  const [chosen, setChosen] = useState<Price | null>(null)
  return (
    <Section title={billingText.prices} description={billingText.pricesHelp}>
      <Loaded query={prices} what={billingText.thePrices} height="h-64">
        {(list) => {
          const shown = list.filter((p) => p.interval === interval)
          if (list.length === 0) return <p className="text-sm text-muted">{billingText.noPrices}</p>
          return (
            <div className="flex flex-col gap-4">
              <div className="max-w-xs">
                <Choice label={billingText.billed} value={interval} options={INTERVALS} onChange={setInterval} />
              </div>
              <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
                {shown.map((price) => (
                  <Offer key={price.price_id} price={price} billing={billing} onChoose={() => setChosen(price)} />
                ))}
              </ul>
              {shown.length === 0 && <p className="text-sm text-muted">{billingText.noneInInterval}</p>}
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
    billingText.minutesPerMonth(e.ai_minutes),
    billingText.storageFor(bytes(e.storage_quota_bytes)),
    billingText.projectLimit(e.max_projects),
    billingText.retention(Math.round(e.export_retention_seconds / 86400)),
    e.watermark_free ? billingText.noWatermark : billingText.withWatermark,
    ...(e.ai_director ? [billingText.aiDirector] : []),
    ...(e.support ? [billingText.support] : []),
  ]

  return (
    <li
      className={`flex flex-col rounded-lg border p-4 ${step === 'current' ? 'border-accent bg-accent-soft' : 'border-line bg-raised'}`}
    >
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{tierName(price.tier)}</h3>
        {step === 'current' && <Badge tone="accent">{billingText.current}</Badge>}
        {scheduled && <Badge>{billingText.scheduled}</Badge>}
      </div>
      <p className="mt-1 text-lg font-semibold tracking-tight">
        {money(price.amount_cents, price.currency)}{' '}
        <span className="text-xs font-normal text-muted">{billingText.per[price.interval]}</span>
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
          aria-label={(step === 'upgrade' ? billingText.upgradeTo : billingText.downgradeTo)(
            tierName(price.tier),
            price.interval,
          )}
        >
          {step === 'upgrade' ? billingText.upgrade : billingText.downgrade}
        </Button>
      )}
    </li>
  )
}

const STALE = [billingQuery.queryKey, allMovements.queryKey, invoicePages.queryKey]

function Upgrade({ price, onClose }: { price: Price; onClose: () => void }) {
  const quote = useQuery(quoteQuery(price.price_id))
  const pay = useServerChange(
    upgrade,
    STALE,
    (result) => {
      toast.success(billingText.subscribed(tierName(result.billing.tier)), {
        description:
          result.charged_cents > 0
            ? billingText.charged(money(result.charged_cents, result.currency))
            : billingText.notCharged,
      })

      onClose()
    },
    true,
  )

  const { error } = pay
  const needsCard =
    error instanceof Problem && (error.code === 'payment_method_required' || error.code === 'payment_declined')

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={billingText.tierWithInterval(tierName(price.tier), price.interval)}
      description={billingText.quoteHelp}
    >
      <Loaded query={quote} what={billingText.theQuote} height="h-36">
        {(q) => (
          <div className="flex flex-col gap-5">
            {error && (
              <Notice
                tone="danger"
                title={needsCard ? billingText.paymentFailed : billingText.notCharged}
                action={needsCard && <AddCard />}
              >
                {messageOf(error)}
              </Notice>
            )}
            <dl className="flex flex-col gap-2 text-sm">
              <Line
                name={billingText.onePeriod(tierName(price.tier), price.interval)}
                value={money(q.price_cents, q.currency)}
              />
              {q.counted_cents > 0 && (
                <Line name={billingText.creditedDays} value={money(-q.counted_cents, q.currency)} />
              )}
              <Line strong name={billingText.chargedNow} value={money(q.charged_cents, q.currency)} />
              {q.credit_cents > 0 && (
                <Line name={billingText.remainingCredit} value={money(q.credit_cents, q.currency)} />
              )}
            </dl>
            <p className="text-sm text-muted">
              {billingText.upgradeHelp(price.entitlements.ai_minutes, date(q.period_ends_at))}
            </p>
            <div className="flex justify-end gap-2">
              <Button onClick={onClose}>{billingText.notNow}</Button>
              <Button variant="primary" disabled={pay.isPending} onClick={() => pay.mutate(price.price_id)}>
                {pay.isPending
                  ? billingText.paying
                  : q.charged_cents > 0
                    ? billingText.pay(money(q.charged_cents, q.currency))
                    : billingText.upgrade}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function AddCard() {
  const go = useServerChange(paymentPage, [], (url) => window.location.assign(url))
  return (
    <Button size="sm" disabled={go.isPending} onClick={() => go.mutate(undefined)}>
      {billingText.addCard}
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
      toast.success(billingText.changeScheduled)
      onClose()
    },
    true,
  )

  const e = price.entitlements
  const amount = money(price.amount_cents, price.currency)
  const per = billingText.per[price.interval]
  const over = [
    billing.storage_used_bytes > e.storage_quota_bytes
      ? billingText.overStorage(bytes(billing.storage_used_bytes), bytes(e.storage_quota_bytes))
      : '',
    billing.project_count > e.max_projects ? billingText.overProjects(billing.project_count, e.max_projects) : '',
  ].filter((o) => o !== '')

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={billingText.downgradeTo(tierName(price.tier), price.interval)}
    >
      <div className="flex flex-col gap-4 text-sm text-muted">
        <p>
          {billing.current_period_ends_at
            ? billingText.downgradeOn(date(billing.current_period_ends_at), amount, per, e.ai_minutes)
            : billingText.downgradeAtEnd(amount, per, e.ai_minutes)}
        </p>
        <p>{billingText.downgradeKeeps}</p>
        {over.length > 0 && <Notice title={billingText.overLimits}>{over.join(' ')}</Notice>}
        {change.isError && (
          <Notice tone="danger" title={settingsText.nothingChanged}>
            {messageOf(change.error)}
          </Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{billingText.keepTier(tierName(billing.tier))}</Button>
          <Button variant="primary" disabled={change.isPending} onClick={() => change.mutate(price.price_id)}>
            {billingText.scheduleChange}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
