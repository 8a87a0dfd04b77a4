import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type Invitation = Schemas['Invitation']

/** The invitations that are still valid; for admins only. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/v1/admin/invitations', { signal })),
})

/** The lifetime of a new invitation. */
const expires_in_days = 7

/** Creates an invitation for an email address, or for anyone with the link if the address is empty. */
export const invite = (email: string) =>
  dataOf(api.POST('/api/v1/admin/invitations', { body: email ? { email, expires_in_days } : { expires_in_days } }))

export const revokeInvitation = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/admin/invitations/{invitation_uuid}', { params: { path: { invitation_uuid: uuid } } }))
