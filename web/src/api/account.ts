import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type AccessToken = Schemas['AccessToken']
export type Space = Schemas['Space']

export const updateMe = (body: Schemas['UserChange']) => dataOf(api.PATCH('/api/v1/users/me', { body }))

/** Deletes the account. The password is undefined if the account has no password. */
export const deleteMe = (password: string | undefined) =>
  dataOf(api.DELETE('/api/v1/users/me', { body: password === undefined ? {} : { password } }))

export const changePassword = (current: string | undefined, new_password: string) =>
  dataOf(
    api.POST('/api/v1/auth/change-password', {
      body: current === undefined ? { new_password } : { current_password: current, new_password },
    }),
  )

export const requestEmailChange = (new_email: string, password: string | undefined) =>
  dataOf(
    api.POST('/api/v1/auth/request-email-change', {
      body: password === undefined ? { new_email } : { new_email, password },
    }),
  )

/** Ends all sessions, including this one, and returns how many there were. */
export const logoutAll = async () => (await dataOf(api.POST('/api/v1/auth/logout-all'))).terminated_count

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/users/me/tokens', { signal }))).items,
})

export const createToken = (body: Schemas['NewAccessToken']) => dataOf(api.POST('/api/v1/users/me/tokens', { body }))

export const revokeToken = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/users/me/tokens/{token_uuid}', { params: { path: { token_uuid: uuid } } }))

/** The storage that the account uses, with one page of projects, largest first. */
export const spaceQuery = (page: number, page_size: number) =>
  queryOptions({
    queryKey: ['space', page, page_size],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/users/me/storage', { params: { query: { page, page_size } }, signal })),
    placeholderData: (before) => before,
  })
