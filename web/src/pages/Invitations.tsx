import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, X } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { invitationsQuery, invite, revokeInvitation, type Invitation } from '../api/invitations'
import { Button, IconButton } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { useSubmit } from './useSubmit'

interface InvitationsProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Where an admin invites people, and sees whom they have invited. */
export function Invitations({ open, onOpenChange }: InvitationsProps) {
  const [made, setMade] = useState<{ url: string; email: string | null } | null>(null)
  const queryClient = useQueryClient()
  const form = useSubmit(async (v) => {
    setMade(null)
    setMade(await invite((v['email'] ?? '').trim()))
    await queryClient.invalidateQueries(invitationsQuery)
  })
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Invite people" description="An invitation makes one account and works for a week.">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="off"
          autoFocus
          placeholder="ada@example.org"
          hint="The invitation is mailed there. Leave it empty for a link that you hand over yourself."
          error={form.fields['email'] ?? form.message ?? undefined}
        />
        <Button look="primary" type="submit" disabled={form.busy} className="self-end">
          {form.busy ? 'Inviting…' : 'Invite'}
        </Button>
      </form>
      {made && <Made {...made} />}
      <Open shown={open} />
    </Dialog>
  )
}

/** The link is shown once, so that it can be handed over. */
function Made({ url, email }: { url: string; email: string | null }) {
  const copy = () => {
    navigator.clipboard.writeText(url).then(
      () => toast.success('The link is copied'),
      () => toast.error('The browser does not let the page copy; select the link and copy it.'),
    )
  }
  return (
    <div className="mt-4">
      <Notice title={email ? `A mail to ${email} is on its way` : 'The invitation is made'}>
        <p>{email ? 'If it does not arrive, hand this link over; it is shown only now.' : 'Hand this link over; it is shown only now.'}</p>
        <div className="mt-2 flex items-center gap-2">
          <input readOnly aria-label="Link of the invitation" value={url} onFocus={(e) => e.target.select()} className="h-8 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 text-xs text-ink" />
          <IconButton label="Copy the link" onClick={copy}>
            <Copy size={14} />
          </IconButton>
        </div>
      </Notice>
    </div>
  )
}

/** The invitations that nobody has used yet. */
function Open({ shown }: { shown: boolean }) {
  const list = useQuery({ ...invitationsQuery, enabled: shown })
  const queryClient = useQueryClient()
  const revoke = (row: Invitation) => {
    revokeInvitation(row.uuid)
      .then(() => queryClient.invalidateQueries(invitationsQuery))
      .catch((error: unknown) => toast.error(messageOf(error)))
  }
  if (list.isError) return <p className="mt-4 text-sm text-danger">{messageOf(list.error)}</p>
  const rows = list.data?.items ?? []
  if (rows.length === 0) return null
  return (
    <section className="mt-6">
      <h3 className="mb-1 text-sm font-medium">Not used yet</h3>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.uuid} className="flex items-center gap-3 py-1 text-sm">
            <span className="min-w-0 flex-1 truncate">{row.email ?? 'Whoever has the link'}</span>
            <span className="text-xs text-faint">until {new Date(row.expires_at).toLocaleDateString()}</span>
            <IconButton label={`Revoke the invitation of ${row.email ?? 'whoever has the link'}`} onClick={() => revoke(row)}>
              <X size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}
