import type { Billing, Invoice, Movement, Price } from '../../api/billing'

/** An amount in the smallest unit of its currency: $19.00, ¥500. */
export function money(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(cents / 10 ** digits)
}

export const day = (iso: string) =>
  new Date(iso).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' })

export const tierName = (tier: string) => tier.slice(0, 1).toUpperCase() + tier.slice(1)

const TIERS = ['free', 'hobby', 'creator', 'viral']

/** What choosing a price would be, seen from the plan that one has. */
export function stepTo(price: Price, billing: Billing): 'current' | 'upgrade' | 'downgrade' {
  const paid = billing.subscription_status === 'active' || billing.subscription_status === 'past_due'
  if (!paid) return 'upgrade'
  const from = TIERS.indexOf(billing.tier)
  const to = TIERS.indexOf(price.tier)
  if (to === from && price.interval === (billing.billing_interval ?? price.interval)) return 'current'
  if (to > from || (to === from && price.interval === 'year' && billing.billing_interval === 'month')) return 'upgrade'
  return 'downgrade'
}

/** What there is to say about the state of a plan; empty where its name says all. */
export function planState(billing: Billing): string {
  const until = billing.current_period_ends_at
  switch (billing.subscription_status) {
    case 'trialing':
      return billing.trial_ends_at ? `Trial until ${day(billing.trial_ends_at)}` : 'Trial'
    case 'past_due':
      return 'The last renewal was declined. It is tried again for a week; leave another card to keep the plan.'
    case 'canceled':
      return 'Your paid plan has ended.'
    case 'active':
      return until
        ? `Renews on ${day(until)}, by the ${billing.billing_interval ?? 'month'}`
        : 'Granted by the admin of this server, without an end'
    case 'none':
      return ''
  }
}

const REASONS: Record<string, string> = {
  welcome: 'The first month of Free',
  trial: 'The trial began',
  plan: 'The plan changed',
  month: 'A month began',
  beta: 'Beta programme',
}

/** What a movement of AI minutes was, in words. */
export function movementWords(m: Movement): string {
  const what = m.project_name ? `“${m.project_name}”` : 'a project that is deleted'
  switch (m.kind) {
    case 'grant':
      return REASONS[m.reason ?? ''] ?? 'Granted'
    case 'expire':
      return `Expired: ${(REASONS[m.reason ?? ''] ?? 'unspent').replace(/^[A-Z]/, (c) => c.toLowerCase())}`
    case 'reserve':
      return `Held to analyse ${what}`
    case 'charge':
      return `Analysed ${what}`
    case 'release':
      return `Given back: ${what} was not analysed`
  }
}

/** What a movement does to the balance, which reserving has lowered already when the charge comes. */
export function movementAmount(m: Movement): string {
  const n = m.minutes.toLocaleString('en', { maximumFractionDigits: 2 })
  if (m.kind === 'grant' || m.kind === 'release') return `+${n}`
  return m.kind === 'charge' ? `(${n})` : `−${n}`
}

const quoted = (text: string) => `"${text.replaceAll('"', '""').replace(/^[=+\-@\t]/, "'$&")}"`

/** Invoices as a table for a spreadsheet (CSV). Text that a spreadsheet would run as a formula is made plain. */
export function invoicesCSV(list: readonly Invoice[]): string {
  const digits = (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions()
      .maximumFractionDigits ?? 2
  const rows = list.map((i) =>
    [
      i.created_at,
      i.kind,
      quoted(i.description),
      (i.amount_cents / 10 ** digits(i.currency)).toFixed(digits(i.currency)),
      i.currency.toUpperCase(),
      i.period_start ?? '',
      i.period_end ?? '',
      i.status,
    ].join(','),
  )
  return ['date,kind,description,amount,currency,period_start,period_end,status', ...rows].join('\r\n') + '\r\n'
}
