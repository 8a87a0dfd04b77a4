import { useQuery } from '@tanstack/react-query'
import { Check, HardDrive } from 'lucide-react'
import { toast } from 'sonner'
import { activateTrial, billingQuery, pricesQuery, type Billing } from '../../api/billing'
import { queryKeys } from '../../api/keys'
import { formatSize } from '../../editor/format'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Meter } from '../../ui/Meter'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { CancelSubscription } from './CancelSubscription'
import { PaymentCard } from './PaymentCard'
import { Invoices, Movements } from './BillingHistory'
import { day, planState, tierName } from './billing'
import { Loaded, Page } from './Page'
import { Prices } from './Prices'
import { Support } from './Support'
import { useServerChange } from './useServerChange'

/** What one has, what is left of it, and how to have more or less. */
export function Subscription() {
  const billing = useQuery(billingQuery)
  return (
    <Page title="Plan">
      <Loaded query={billing} what="Your plan" height="h-64">
        {(b) => (b.plan_mode === 'owner' ? <Owner billing={b} /> : <Metered billing={b} />)}
      </Loaded>
    </Page>
  )
}

function Owner({ billing }: { billing: Billing }) {
  return (
    <Section
      title="This machine is yours, and so is all of Roughcut"
      description="Nothing is metered and nothing is charged. There is no account elsewhere, and nobody counts what you do."
    >
      <ul className="flex flex-col gap-2 text-sm">
        {[
          'As many AI minutes as you like: analyses run on this machine',
          'Exports without a watermark, kept until you delete them',
          'As many projects as fit on the disk',
          'Every feature, the AI Director included',
        ].map((text) => (
          <li key={text} className="flex items-start gap-2">
            <Check size={16} className="mt-0.5 shrink-0 text-accent" aria-hidden /> {text}
          </li>
        ))}
        <li className="flex items-start gap-2 text-muted">
          <HardDrive size={16} className="mt-0.5 shrink-0" aria-hidden /> Your recordings take{' '}
          {formatSize(billing.storage_used_bytes)}; only the disk is a limit.
        </li>
      </ul>
    </Section>
  )
}

function Metered({ billing }: { billing: Billing }) {
  const paid = billing.subscription_status === 'active' || billing.subscription_status === 'past_due'
  return (
    <>
      <Present billing={billing} />
      <Prices billing={billing} />
      <Movements />
      <Invoices />
      {paid && <PaymentCard pastDue={billing.subscription_status === 'past_due'} />}
      {billing.can_access_support && <Support />}
      {paid && billing.billing_interval && <CancelSubscription billing={billing} />}
    </>
  )
}

function Present({ billing }: { billing: Billing }) {
  const prices = useQuery(pricesQuery).data ?? []
  const scheduled = prices.find((p) => p.price_id === billing.scheduled_price_id)
  const state = planState(billing)
  return (
    <Section
      title={tierName(billing.tier)}
      description={state || 'For trying Roughcut out, for as long as you like.'}
      action={
        <div className="flex gap-2 pt-0.5">
          {billing.subscription_status === 'trialing' && <Badge tone="accent">Trial</Badge>}
          {billing.subscription_status === 'past_due' && <Badge tone="danger">Payment declined</Badge>}
          {billing.is_beta && <Badge tone="accent">Beta</Badge>}
          {billing.discount_used && <Badge>Discount taken</Badge>}
        </div>
      }
    >
      <div className="flex flex-col gap-5">
        {scheduled && billing.current_period_ends_at && (
          <Notice
            title={`${tierName(scheduled.tier)} by the ${scheduled.interval} from ${day(billing.current_period_ends_at)}`}
          >
            Until then everything stays as it is. An upgrade takes this back.
          </Notice>
        )}
        <Meters
          billing={billing}
          allowance={prices.find((p) => p.tier === billing.tier)?.entitlements.ai_minutes ?? null}
        />
        {!billing.trial_used && !billing.has_active_plan && <Trial />}
      </div>
    </Section>
  )
}

function Meters({ billing, allowance }: { billing: Billing; allowance: number | null }) {
  const { balance, reserved } = billing.credits.ai_minutes
  const n = (x: number) => x.toLocaleString('en', { maximumFractionDigits: 2 })
  // What one can have at most: the month's allowance, or more where beta credits or an earlier plan left it.
  const most =
    allowance === null || billing.subscription_status === 'trialing' ? null : Math.max(allowance, balance + reserved)
  const hints = [
    reserved > 0 ? `${n(reserved)} held for analyses under way` : '',
    billing.credits_renew_at ? `the next month begins on ${day(billing.credits_renew_at)}` : '',
    billing.is_beta && billing.beta_credits_total !== null
      ? `beta: ${n(billing.beta_credits_used ?? 0)} of ${n(billing.beta_credits_total)} used`
      : '',
  ].filter((h) => h !== '')
  return (
    <div className="flex flex-col gap-4">
      <Meter
        label="AI minutes"
        used={most === null ? 0 : most - balance}
        total={most}
        words={most === null ? `${n(balance)} left` : `${n(balance)} of ${n(most)} left`}
        hint={hints.join(', ').replace(/^[a-z]/, (c) => c.toUpperCase())}
      />
      <Meter
        label="Storage"
        used={billing.storage_used_bytes}
        total={billing.storage_quota_bytes}
        words={`${formatSize(billing.storage_used_bytes)} of ${formatSize(billing.storage_quota_bytes)}`}
      />
      <Meter
        label="Projects"
        used={billing.project_count}
        total={billing.max_projects}
        words={`${billing.project_count} of ${billing.max_projects.toLocaleString('en')}`}
      />
      <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-3">
        {(
          [
            ['Watermark', billing.can_watermark_free ? 'None on exports' : 'On exports'],
            ['AI Director', billing.can_use_ai_director ? 'Included' : 'Not included'],
            ['Support by mail', billing.can_access_support ? 'Included' : 'Not included'],
          ] as const
        ).map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Trial() {
  const start = useServerChange(activateTrial, [queryKeys.billing, queryKeys.allMovements, queryKeys.prices], () =>
    toast.success('Your trial has begun'),
  )
  return (
    <Notice
      title="Try Creator for a week"
      action={
        <Button variant="primary" disabled={start.isPending} onClick={() => start.mutate(undefined)}>
          Start the trial
        </Button>
      }
    >
      With 30 AI minutes, no watermark and the AI Director. It ends by itself, and nothing is charged.
    </Notice>
  )
}
