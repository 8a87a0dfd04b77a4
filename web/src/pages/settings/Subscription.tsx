import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { toast } from 'sonner'
import { activateTrial, allMovements, billingQuery, pricesQuery, type Billing } from '../../api/billing'
import { billingText } from '../../text/billing'
import { bytes, date, number } from '../../text/format'
import { settingsText } from '../../text/settings'
import { Badge } from '../../ui/Badge'
import { Button } from '../../ui/Button'
import { Meter } from '../../ui/Meter'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { CancelSubscription } from './CancelSubscription'
import { PaymentCard } from './PaymentCard'
import { Invoices, Movements } from './BillingHistory'
import { subscriptionState, tierName } from './billing'
import { Loaded, Page } from './Page'
import { Prices } from './Prices'
import { Support } from './Support'
import { useServerChange } from './useServerChange'

/** The subscription page: the current tier, its usage, and how to change or cancel it. A server without billing has none. */
export function Subscription() {
  const billing = useQuery(billingQuery)
  return (
    <Page title={settingsText.pages.subscription}>
      <Loaded query={billing} what={billingText.theSubscription} height="h-64">
        {(b) => (b.plan_mode === 'metered' ? <Metered billing={b} /> : <Navigate to="/settings/storage" replace />)}
      </Loaded>
    </Page>
  )
}

function Metered({ billing }: { billing: Billing }) {
  const paid = billing.subscription_status === 'active' || billing.subscription_status === 'past_due'
  return (
    <>
      <Current billing={billing} />
      <Prices billing={billing} />
      <Movements />
      <Invoices />
      {paid && <PaymentCard pastDue={billing.subscription_status === 'past_due'} />}
      {billing.can_access_support && <Support />}
      {paid && billing.billing_interval && <CancelSubscription billing={billing} />}
    </>
  )
}

function Current({ billing }: { billing: Billing }) {
  const prices = useQuery(pricesQuery).data ?? []
  const scheduled = prices.find((p) => p.price_id === billing.scheduled_price_id)
  const state = subscriptionState(billing)
  return (
    <Section
      title={tierName(billing.tier)}
      description={state || billingText.freeHelp}
      action={
        <div className="flex gap-2 pt-0.5">
          {billing.subscription_status === 'trialing' && <Badge tone="accent">{billingText.trial}</Badge>}
          {billing.subscription_status === 'past_due' && <Badge tone="danger">{billingText.paymentDeclined}</Badge>}
          {billing.is_beta && <Badge tone="accent">{billingText.beta}</Badge>}
          {billing.discount_used && <Badge>{billingText.discountApplied}</Badge>}
        </div>
      }
    >
      <div className="flex flex-col gap-5">
        {scheduled && billing.current_period_ends_at && (
          <Notice
            title={billingText.scheduledFrom(
              tierName(scheduled.tier),
              scheduled.interval,
              date(billing.current_period_ends_at),
            )}
          >
            {billingText.scheduledHelp}
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
  // The end of the meter: the monthly allowance, or more if beta credits or an earlier tier left a higher balance.
  const max =
    allowance === null || billing.subscription_status === 'trialing' ? null : Math.max(allowance, balance + reserved)

  const hints = [
    reserved > 0 ? billingText.reserved(reserved) : '',
    billing.credits_renew_at ? billingText.nextMonth(date(billing.credits_renew_at)) : '',
    billing.is_beta && billing.beta_credits_total !== null
      ? billingText.betaUsed(billing.beta_credits_used ?? 0, billing.beta_credits_total)
      : '',
  ].filter((h) => h !== '')

  return (
    <div className="flex flex-col gap-4">
      <Meter
        label={billingText.aiMinutes}
        used={max === null ? 0 : max - balance}
        total={max}
        words={max === null ? billingText.left(balance) : billingText.leftOf(balance, max)}
        hint={hints.join(', ').replace(/^[a-z]/, (c) => c.toUpperCase())}
      />
      <Meter
        label={billingText.storage}
        used={billing.storage_used_bytes}
        total={billing.storage_quota_bytes}
        words={billingText.usedOf(bytes(billing.storage_used_bytes), bytes(billing.storage_quota_bytes))}
      />
      <Meter
        label={billingText.projects}
        used={billing.project_count}
        total={billing.max_projects}
        words={billingText.usedOf(number(billing.project_count), number(billing.max_projects))}
      />
      <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-3">
        {(
          [
            [billingText.watermark, billing.can_watermark_free ? billingText.watermarkNone : billingText.watermarkOn],
            [billingText.aiDirector, billing.can_use_ai_director ? billingText.included : billingText.notIncluded],
            [billingText.support, billing.can_access_support ? billingText.included : billingText.notIncluded],
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
  const start = useServerChange(
    activateTrial,
    [billingQuery.queryKey, allMovements.queryKey, pricesQuery.queryKey],
    () => toast.success(billingText.trialStarted),
  )

  return (
    <Notice
      title={billingText.trialTitle}
      action={
        <Button variant="primary" disabled={start.isPending} onClick={() => start.mutate(undefined)}>
          {billingText.startTrial}
        </Button>
      }
    >
      {billingText.trialHelp}
    </Notice>
  )
}
