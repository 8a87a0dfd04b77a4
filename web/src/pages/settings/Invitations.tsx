import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { invitationsQuery, invite, revokeInvitation, type Invitation } from '../../api/invitations'
import { signInOptionsQuery } from '../../api/session'
import { Button, IconButton } from '../../ui/Button'
import { CopyText } from '../../ui/CopyText'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { useSubmit } from '../useSubmit'
import { day } from './billing'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

const WHO = {
  open: 'Everybody can make an account here; an invited address needs no verification.',
  invite: 'Only who is invited can make an account here.',
  closed: 'Nobody can make an account here, not even with an invitation: set SIGNUP to invite first.',
}

/** Where an admin invites people, and sees whom they have invited. */
export function Invitations() {
  const [made, setMade] = useState<{ url: string; email: string | null } | null>(null)
  const signup = useQuery(signInOptionsQuery).data?.signup
  const list = useQuery(invitationsQuery)
  const queryClient = useQueryClient()
  const form = useSubmit(async (v) => {
    setMade(null)
    setMade(await invite((v['email'] ?? '').trim()))
    await queryClient.invalidateQueries(invitationsQuery)
  })
  return (
    <Section
      title="Invitations"
      description={`An invitation makes one account and works for a week. ${signup ? WHO[signup] : ''}`}
    >
      <div className="flex flex-col gap-4">
        <form onSubmit={form.onSubmit} className="flex items-start gap-3">
          <Field
            className="max-w-md flex-1"
            label="Email"
            name="email"
            type="email"
            autoComplete="off"
            placeholder="ada@example.org"
            hint="The invitation is mailed there. Leave it empty for a link that you hand over yourself."
            error={form.fields['email'] ?? form.message ?? undefined}
          />
          <Button variant="primary" size="lg" type="submit" disabled={form.busy} className="mt-6">
            {form.busy ? 'Inviting…' : 'Invite'}
          </Button>
        </form>
        {made && (
          <Notice title={made.email ? `A mail to ${made.email} is on its way` : 'The invitation is made'}>
            <p>
              {made.email
                ? 'If it does not arrive, hand this link over; it is shown only now.'
                : 'Hand this link over; it is shown only now.'}
            </p>
            <CopyText label="Link of the invitation" value={made.url} />
          </Notice>
        )}
        <Loaded query={list} what="The invitations" height="h-10">
          {(open) =>
            open.items.length === 0 ? (
              <p className="text-sm text-muted">No invitation is open.</p>
            ) : (
              <Open rows={open.items} />
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

/** The invitations that nobody has used yet. */
function Open({ rows }: { rows: Invitation[] }) {
  const revoke = useServerChange(revokeInvitation, [invitationsQuery.queryKey])
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">Not used yet</h3>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.uuid} className="flex items-center gap-3 py-1 text-sm">
            <span className="min-w-0 flex-1 truncate">{row.email ?? 'Whoever has the link'}</span>
            <span className="text-xs text-faint">until {day(row.expires_at)}</span>
            <IconButton
              label={`Revoke the invitation of ${row.email ?? 'whoever has the link'}`}
              disabled={revoke.isPending}
              onClick={() => revoke.mutate(row.uuid)}
            >
              <X size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
    </div>
  )
}
