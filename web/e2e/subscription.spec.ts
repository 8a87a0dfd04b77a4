import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { Price } from '../src/api/billing'
import { expect, expectToLookRight, test as base } from './support/accounts'

interface Fixtures {
  /** Opens the subscription page of an account with a tier that is paid monthly. */
  subscribe: (tier: Price['tier']) => Promise<void>
}

const test = base.extend<Fixtures>({
  subscribe: async ({ api, signIn, open }, provide) => {
    await provide(async (tier) => {
      await signIn('ada')
      const { items } = await api.ask<{ items: Price[] }>('GET', '/payments/prices')
      const price = items.find((p) => p.tier === tier && p.interval === 'month')
      await api.ask('POST', '/payments/subscription/upgrade', { price_id: price?.price_id })
      await open('/settings/plan')
    })
  },
})

test.use({ seed: 'accounts', settings: { PLAN_MODE: 'metered', TRIAL_AUTO_GRANT: 'false' } })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('the trial starts on request', async ({ page, enter }) => {
  await enter('ada', '/settings/plan')
  await button(page, 'Start trial').click()
  await expect(page.getByText('Your trial has started')).toBeVisible()
  await expect(section(page, 'Creator').getByText(/^Trial until/)).toBeVisible()
})

test('an upgrade shows its price first, less the days that are already paid', async ({ page, enter }) => {
  await enter('ada', '/settings/plan')
  await button(page, 'Upgrade to Hobby, monthly').click()
  await expect(page.getByText('Charged now')).toBeVisible()
  await expectToLookRight(page)
  await button(page, 'Pay $9.00').click()
  await expect(page.getByText('You are now subscribed to Hobby')).toBeVisible()
  await expect(section(page, 'AI minute history').getByText('Subscription changed')).toBeVisible()
  await button(page, 'Upgrade to Creator, monthly').click()
  await expect(page.getByText('Credit for days already paid')).toBeVisible()
  await button(page, 'Pay $10.00').click()
  await expect(page.getByText('You are now subscribed to Creator')).toBeVisible()
})

test('a downgrade is scheduled for the end of the paid period', async ({ page, subscribe }) => {
  await subscribe('creator')
  await button(page, 'Downgrade to Hobby, monthly').click()
  await expect(page.getByText('you cannot add new ones')).toBeVisible()
  await button(page, 'Schedule downgrade').click()
  await expect(page.getByText(/^Changes to Hobby, monthly, on/)).toBeVisible()
  await expectToLookRight(page)
})

test('the invoices can be downloaded as CSV', async ({ page, subscribe }) => {
  await subscribe('hobby')
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()])
  const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(',9.00,USD,')
})

test('a message to support is sent', async ({ page, subscribe }) => {
  await subscribe('hobby')
  await page.getByLabel('Message', { exact: true }).fill('How do I cut faster?')
  await button(page, 'Send').click()
  await expect(page.getByText('Your message was sent')).toBeVisible()
})

test('a subscription ends after a reason and a confirmation', async ({ page, subscribe }) => {
  await subscribe('hobby')
  await button(page, 'Cancel subscription…').click()
  await expect(button(page, 'Cancel now')).toBeDisabled()
  await page.getByLabel('Reason', { exact: true }).selectOption('other')
  await button(page, 'Cancel now').click()
  await button(page, 'Yes, cancel now').click()
  await expect(section(page, 'Free').getByText('Your subscription has ended')).toBeVisible()
})

test('the discount for staying is offered once, and admins see that it was accepted', async ({ page, subscribe }) => {
  await subscribe('hobby')
  await button(page, 'Cancel subscription…').click()
  await page.getByLabel('Reason', { exact: true }).selectOption('too_expensive')
  await expectToLookRight(page)
  await button(page, 'Accept discount').click()
  await expect(page.getByText('The next two renewals cost 30% less')).toBeVisible()
  await button(page, 'Cancel subscription…').click()
  await expect(button(page, 'Cancel now')).toBeVisible()
  await expect(button(page, 'Accept discount')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'People' }).click()
  const feedback = page.getByRole('list', { name: 'Cancellation feedback' })
  await expect(feedback.getByText('accepted the discount')).toBeVisible()
})
