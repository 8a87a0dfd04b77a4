import { describe, expect, test } from 'vitest'
import type { Billing, Invoice, Movement, Price } from '../../api/billing'
import { invoicesCSV, money, movementAmount, movementWords, planState, stepTo } from './billing'

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

test('amounts have the decimals of their currency', () => {
  expect(money(1900, 'usd')).toBe('$19.00')
  expect(money(-450, 'eur')).toBe('-€4.50')
  expect(money(500, 'jpy')).toBe('¥500')
})

describe('a step to a price', () => {
  test('is an upgrade from whatever is not paid', () => {
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
  test('takes a granted tier, which has no interval, as the present one', () => {
    expect(stepTo(price('viral', 'year'), billing({ tier: 'viral', subscription_status: 'active' }))).toBe('current')
  })
})

test('the state of a plan is told', () => {
  const end = new Date(2026, 1, 7, 12).toISOString() // noon here, wherever that is
  expect(planState(billing({ subscription_status: 'trialing', trial_ends_at: end }))).toBe('Trial until Feb 7, 2026')
  expect(
    planState(billing({ subscription_status: 'active', billing_interval: 'year', current_period_ends_at: end })),
  ).toBe('Renews on Feb 7, 2026, by the year')
  expect(planState(billing({}))).toBe('')
})

test('movements are told in words, and a charge does not count twice', () => {
  expect(movementWords(movement({ kind: 'charge' }))).toBe('Analysed “Talk”')
  expect(movementAmount(movement({ kind: 'charge' }))).toBe('(1.5)')
  expect(movementAmount(movement({ kind: 'reserve' }))).toBe('−1.5')
  expect(movementAmount(movement({ kind: 'release' }))).toBe('+1.5')
  expect(movementWords(movement({ kind: 'release', project_name: null }))).toContain('a project that is deleted')
  expect(movementWords(movement({ kind: 'expire', reason: 'month' }))).toBe('Expired: a month began')
})

test('invoices for a spreadsheet hold no formulas', () => {
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
