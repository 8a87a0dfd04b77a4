import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type Account = Schemas['Account']
export type Feedback = Schemas['Feedback']
export type OutboxEntry = Schemas['OutboxEntry']
export type QueuedMail = Schemas['QueuedMail']
export type ServerStorage = Schemas['Storage']
export type System = Schemas['System']

const PEOPLE_PAGE = 25
const MAIL_PAGE = 20

/** Every list of accounts. */
export const allPeople = { queryKey: ['people'] }

/** Accounts whose name, username or email contains q, newest first. */
export const peopleQuery = (q: string, page: number) =>
  queryOptions({
    queryKey: [...allPeople.queryKey, q, page],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/admin/users', {
          params: { query: { page, page_size: PEOPLE_PAGE, ...(q ? { q } : {}) } },
          signal,
        }),
      ),
    placeholderData: (before) => before,
  })

/** The newest accounts whose address is not verified. */
export const waitingQuery = queryOptions({
  queryKey: [...allPeople.queryKey, 'waiting'],
  queryFn: ({ signal }) =>
    dataOf(
      api.GET('/api/v1/admin/users', { params: { query: { page_size: PEOPLE_PAGE, email_verified: false } }, signal }),
    ),
})

const userParams = (uuid: string) => ({ params: { path: { user_uuid: uuid } } })

export const changePerson = (uuid: string, body: Schemas['AccountChange']) =>
  dataOf(api.PATCH('/api/v1/admin/users/{user_uuid}', { ...userParams(uuid), body }))
export const removePerson = (uuid: string) => dataOf(api.DELETE('/api/v1/admin/users/{user_uuid}', userParams(uuid)))

/** Sets the beta credits of an account, in AI minutes; 0 removes the account from the beta. renewal is an ISO time or null. */
export const grantBeta = (email: string, credits_total: number, renewal: string | null) =>
  dataOf(api.POST('/admin/beta/grant', { body: { email, credits_total, renewal_date: renewal } }))

export const queuedMailsQuery = (page: number) =>
  queryOptions({
    queryKey: ['queued-mails', page],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/admin/mails', { params: { query: { page, page_size: MAIL_PAGE } }, signal })),
    placeholderData: (before) => before,
    refetchInterval: 5_000,
  })

export const feedbackQuery = (page: number) =>
  queryOptions({
    queryKey: ['feedback', page],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/admin/feedback', { params: { query: { page, page_size: 10 } }, signal })),
    placeholderData: (before) => before,
  })

export const outboxQuery = (page: number) =>
  queryOptions({
    queryKey: ['outbox', page],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/admin/outbox', { params: { query: { page, page_size: MAIL_PAGE } }, signal })),
    placeholderData: (before) => before,
    refetchInterval: 5_000,
  })

export const outboxMailQuery = (name: string) =>
  queryOptions({
    queryKey: ['outbox-mail', name],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/admin/outbox/{mail}', { params: { path: { mail: name } }, signal })),
    staleTime: Infinity,
  })

export const serverStorageQuery = (page: number) =>
  queryOptions({
    queryKey: ['server-storage', page],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/admin/storage', { params: { query: { page, page_size: 10 } }, signal })),
    placeholderData: (before) => before,
  })

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/admin/system', { signal })),
  refetchInterval: 5_000,
})
