import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

export type Invitation = Schemas['Invitation']

/** The open invitations, for admins. */
export const invitationsQuery = queryOptions({
  queryKey: queryKeys.invitations,
  queryFn: ({ signal }) => answer(api.GET('/api/v1/admin/invitations', { signal })),
})

/** How long an invitation of ours lives. */
const expires_in_days = 7

/** Invites whoever has the address, or, without one, whoever has the link that the answer holds. */
export const invite = (email: string) =>
  answer(api.POST('/api/v1/admin/invitations', { body: email ? { email, expires_in_days } : { expires_in_days } }))

export const revokeInvitation = (uuid: string) =>
  answer(api.DELETE('/api/v1/admin/invitations/{invitation_uuid}', { params: { path: { invitation_uuid: uuid } } }))
