import type { Billing, Invoice, Movement, Price } from '../../api/billing'
import { billingText } from '../../text/billing'
import { date, number } from '../../text/format'

const TIERS = ['free', 'hobby', 'creator', 'viral']

export const tierName = (tier: string) => billingText.tiers[tier] ?? tier

/** Returns what choosing a price means for the current subscription. */
export function stepTo(price: Price, billing: Billing): 'current' | 'upgrade' | 'downgrade' {
  const paid = billing.subscription_status === 'active' || billing.subscription_status === 'past_due'
  if (!paid) return 'upgrade'
  const from = TIERS.indexOf(billing.tier)
  const to = TIERS.indexOf(price.tier)
  if (to === from && price.interval === (billing.billing_interval ?? price.interval)) return 'current'
  if (to > from || (to === from && price.interval === 'year' && billing.billing_interval === 'month')) return 'upgrade'
  return 'downgrade'
}

/** Describes the state of a subscription; empty if the name of the tier says everything. */
export function subscriptionState(billing: Billing): string {
  const until = billing.current_period_ends_at
  switch (billing.subscription_status) {
    case 'trialing':
      return billing.trial_ends_at ? billingText.trialUntil(date(billing.trial_ends_at)) : billingText.trial
    case 'past_due':
      return billingText.pastDue
    case 'canceled':
      return billingText.canceled
    case 'active':
      return until
        ? billingText.renews(billing.billing_interval === 'year' ? 'year' : 'month', date(until))
        : billingText.granted
    case 'none':
      return ''
  }
}

/** Describes a movement of AI minutes. */
export function movementLabel(m: Movement): string {
  const project = m.project_name ? billingText.projectNamed(m.project_name) : billingText.deletedProject
  const reason = billingText.reasons[m.reason ?? '']
  switch (m.kind) {
    case 'grant':
      return reason ?? billingText.grantedMinutes
    case 'expire':
      return billingText.expired(reason)
    case 'reserve':
      return billingText.reservedFor(project)
    case 'charge':
      return billingText.analyzed(project)
    case 'release':
      return billingText.released(project)
  }
}

/** The signed amount of a movement. A charge is in parentheses, because its reservation has already lowered the balance. */
export function movementAmount(m: Movement): string {
  const n = number(m.minutes, 2)
  if (m.kind === 'grant' || m.kind === 'release') return `+${n}`
  return m.kind === 'charge' ? `(${n})` : `−${n}`
}

// csvField quotes a CSV field and escapes text that a spreadsheet would run as a formula.
const csvField = (text: string) => `"${text.replaceAll('"', '""').replace(/^[=+\-@\t]/, "'$&")}"`

/** Returns invoices as CSV. Amounts use a decimal point in every locale. */
export function invoicesCSV(list: readonly Invoice[]): string {
  const digits = (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions()
      .maximumFractionDigits ?? 2

  const rows = list.map((i) =>
    [
      i.created_at,
      i.kind,
      csvField(i.description),
      (i.amount_cents / 10 ** digits(i.currency)).toFixed(digits(i.currency)),
      i.currency.toUpperCase(),
      i.period_start ?? '',
      i.period_end ?? '',
      i.status,
    ].join(','),
  )

  return ['date,kind,description,amount,currency,period_start,period_end,status', ...rows].join('\r\n') + '\r\n'
}
