import { describe, expect, test } from 'vitest'
import type { Billing, Invoice, Movement, Price } from '../../api/billing'
import { invoicesCSV, movementAmount, movementLabel, stepTo, subscriptionState } from './billing'

const billing = (change: Partial<Billing>) =>
  ({
    tier: 'free',
    subscription_status: 'none',
    billing_interval: null,
    current_period_ends_at: null,
    trial_ends_at: null,
    ...change,
  }) as Billing

const price = (tier: Price['tier'], interval: Price['interval']) => ({ tier, interval }) as Price
const movement = (change: Partial<Movement>) =>
  ({ minutes: 1.5, reason: null, project_name: 'Talk', ...change }) as Movement

describe('stepTo', () => {
  test('is an upgrade from every unpaid subscription', () => {
    expect(stepTo(price('hobby', 'month'), billing({}))).toBe('upgrade')
    expect(stepTo(price('hobby', 'month'), billing({ tier: 'creator', subscription_status: 'trialing' }))).toBe(
      'upgrade',
    )
  })

  test('compares tier, then interval', () => {
    const mine = billing({ tier: 'creator', subscription_status: 'active', billing_interval: 'month' })
    expect(stepTo(price('creator', 'month'), mine)).toBe('current')
    expect(stepTo(price('creator', 'year'), mine)).toBe('upgrade')
    expect(stepTo(price('viral', 'month'), mine)).toBe('upgrade')
    expect(stepTo(price('hobby', 'year'), mine)).toBe('downgrade')
    expect(stepTo(price('creator', 'month'), { ...mine, billing_interval: 'year' })).toBe('downgrade')
  })

  test('treats an assigned tier, which has no interval, as current', () => {
    expect(stepTo(price('viral', 'year'), billing({ tier: 'viral', subscription_status: 'active' }))).toBe('current')
  })
})

test('subscriptionState describes trials, renewals and the free tier', () => {
  const end = new Date(2026, 1, 7, 12).toISOString() // noon in the local time zone
  expect(subscriptionState(billing({ subscription_status: 'trialing', trial_ends_at: end }))).toBe(
    'Trial until Feb 7, 2026',
  )

  expect(
    subscriptionState(
      billing({ subscription_status: 'active', billing_interval: 'year', current_period_ends_at: end }),
    ),
  ).toBe('Renews yearly, next on Feb 7, 2026')

  expect(subscriptionState(billing({}))).toBe('')
})

test('movements have labels, and a charge does not change the balance twice', () => {
  expect(movementLabel(movement({ kind: 'charge' }))).toBe('Analyzed “Talk”')
  expect(movementAmount(movement({ kind: 'charge' }))).toBe('(1.5)')
  expect(movementAmount(movement({ kind: 'reserve' }))).toBe('−1.5')
  expect(movementAmount(movement({ kind: 'release' }))).toBe('+1.5')
  expect(movementLabel(movement({ kind: 'release', project_name: null }))).toContain('a deleted project')
  expect(movementLabel(movement({ kind: 'expire', reason: 'month' }))).toBe('Expired: new month')
})

test('invoicesCSV escapes formulas', () => {
  const row = {
    created_at: '2026-01-31',
    kind: 'charge',
    description: '=HYPERLINK("x"), Creator',
    amount_cents: 1900,
    currency: 'usd',
    period_start: null,
    period_end: null,
    status: 'paid',
  } as Invoice

  expect(invoicesCSV([row])).toContain(`2026-01-31,charge,"'=HYPERLINK(""x""), Creator",19.00,USD,,,paid\r\n`)
})
