import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { invitationsQuery, invite, revokeInvitation, type Invitation } from '../../api/invitations'
import { signInOptionsQuery } from '../../api/session'
import { commonText } from '../../text/common'
import { date } from '../../text/format'
import { peopleText } from '../../text/people'
import { Button, IconButton } from '../../ui/Button'
import { CopyText } from '../../ui/CopyText'
import { Field } from '../../ui/Field'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { useSubmit } from '../../ui/useSubmit'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

/** Creates invitations and lists the open ones. */
export function Invitations() {
  const [created, setCreated] = useState<{ url: string; email: string | null } | null>(null)
  const options = useQuery(signInOptionsQuery).data
  const mail = options?.mail ?? true
  const list = useQuery(invitationsQuery)
  const queryClient = useQueryClient()
  const form = useSubmit(async (v) => {
    setCreated(null)
    setCreated(await invite((v['email'] ?? '').trim()))
    await queryClient.invalidateQueries(invitationsQuery)
  })

  return (
    <Section
      title={peopleText.invitations}
      description={`${peopleText.invitationsHelp} ${options ? peopleText.signup[options.signup] : ''}`}
    >
      <div className="flex flex-col gap-4">
        <form onSubmit={form.onSubmit} className="flex items-start gap-3">
          <Field
            className="max-w-md flex-1"
            label={commonText.email}
            name="email"
            type="email"
            autoComplete="off"
            placeholder={peopleText.emailPlaceholder}
            hint={mail ? peopleText.emailHelp : peopleText.emailHelpWithoutMail}
            error={form.fields['email'] ?? form.message ?? undefined}
          />
          <Button variant="primary" size="lg" type="submit" disabled={form.busy} className="mt-6">
            {form.busy ? peopleText.inviting : peopleText.invite}
          </Button>
        </form>
        {created && <Created {...created} mail={mail} />}
        <Loaded query={list} what={peopleText.theInvitations} height="h-10">
          {(open) =>
            open.items.length === 0 ? (
              <p className="text-sm text-muted">{peopleText.noInvitations}</p>
            ) : (
              <Open rows={open.items} />
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

/** The link of a new invitation. mail tells whether the server has sent it. */
function Created({ url, email, mail }: { url: string; email: string | null; mail: boolean }) {
  const [title, help] = !email
    ? [peopleText.invitationCreated, peopleText.invitationCreatedHelp]
    : mail
      ? [peopleText.invitationSent(email), peopleText.invitationSentHelp]
      : [peopleText.invitationFor(email), peopleText.invitationForHelp]

  return (
    <Notice title={title}>
      <p>
        {help} {!email && !mail && peopleText.invitationLetIn}
      </p>
      <CopyText label={peopleText.invitationLink} value={url} />
    </Notice>
  )
}

/** The invitations that are unused and valid. */
function Open({ rows }: { rows: Invitation[] }) {
  const revoke = useServerChange(revokeInvitation, [invitationsQuery.queryKey])
  return (
    <div>
      <h3 className="mb-1 text-sm font-medium">{peopleText.openInvitations}</h3>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.uuid} className="flex items-center gap-3 py-1 text-sm">
            <span className="min-w-0 flex-1 truncate">{row.email ?? peopleText.anyone}</span>
            <span className="text-xs text-faint">{peopleText.expires(date(row.expires_at))}</span>
            <IconButton
              label={peopleText.revoke(row.email)}
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
