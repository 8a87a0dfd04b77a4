import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type Billing = Schemas['BillingStatus']
export type Price = Schemas['Price']
export type Movement = Schemas['Movement']
export type Invoice = Schemas['Invoice']
export type Outcome = Schemas['CancellationFeedback']['outcome']

export const billingQuery = queryOptions({
  queryKey: ['billing'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/payments/subscription/status', { signal })),
})

export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/payments/prices', { signal }))).items,
  staleTime: 60_000,
})

/** What an upgrade to a price would cost now. */
export const quoteQuery = (price_id: number) =>
  queryOptions({
    queryKey: ['quote', price_id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/payments/subscription/upgrade-quote', { params: { query: { price_id } }, signal })),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

const LEDGER_PAGE = 10

/** Every page of the ledger of AI minutes. */
export const allMovements = { queryKey: ['movements'] }

/** The ledger of AI minutes, newest first. */
export const movementsQuery = (page: number) =>
  queryOptions({
    queryKey: [...allMovements.queryKey, page],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/payments/credits/movements', { params: { query: { page, page_size: LEDGER_PAGE } }, signal }),
      ),
    placeholderData: (before) => before,
  })

/** Every page of invoices. */
export const invoicePages = { queryKey: ['invoices'] }

/** Charges, credits and refunds, newest first. */
export const invoicesQuery = (page: number) =>
  queryOptions({
    queryKey: [...invoicePages.queryKey, page],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/payments/invoices', { params: { query: { page, page_size: LEDGER_PAGE } }, signal })),
    placeholderData: (before) => before,
  })

/** All invoices, for the CSV download. */
export async function allInvoices(): Promise<Invoice[]> {
  const list: Invoice[] = []
  for (let page = 1; ; page++) {
    const got = await dataOf(api.GET('/api/v1/payments/invoices', { params: { query: { page, page_size: 200 } } }))
    list.push(...got.items)
    if (got.items.length === 0 || list.length >= got.total) return list
  }
}

export const activateTrial = () => dataOf(api.POST('/api/v1/payments/subscription/activate-trial'))
export const upgrade = (price_id: number) =>
  dataOf(api.POST('/api/v1/payments/subscription/upgrade', { body: { price_id } }))
export const scheduleDowngrade = (price_id: number) =>
  dataOf(api.POST('/api/v1/payments/subscription/schedule-downgrade', { body: { price_id } }))
export const giveFeedback = (reason: string, detail: string, outcome: Outcome) =>
  dataOf(
    api.POST('/api/v1/payments/subscription/cancellation-feedback', {
      body: { reason, detail: detail || null, outcome },
    }),
  )
export const requestSupport = (reason: string, message: string) =>
  dataOf(api.POST('/api/v1/payments/subscription/support-request', { body: { reason, message } }))

/** Returns the URL of the payment provider's page for adding a card. */
export const paymentPage = async () => (await dataOf(api.POST('/api/v1/payments/subscription/payment-method'))).url
