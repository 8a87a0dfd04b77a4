import { useState } from 'react'
import { toast } from 'sonner'
import { giveFeedback, type Billing, type Outcome } from '../../api/billing'
import { messageOf } from '../../api/client'
import { queryKeys } from '../../api/keys'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { TextArea } from '../../ui/TextArea'
import { day, tierName } from './billing'
import { useServerChange } from './useServerChange'

/** Why people leave; the first is none yet. */
export const REASONS = [
  { value: '', label: 'Choose a reason' },
  { value: 'too_expensive', label: 'It is too expensive' },
  { value: 'not_used', label: 'I do not use it enough' },
  { value: 'missing_feature', label: 'Something is missing' },
  { value: 'poor_quality', label: 'The cuts are not good enough' },
  { value: 'other', label: 'Something else' },
]

const DONE: Record<Outcome, string> = {
  cancelled: 'Your plan has ended. You are on Free now.',
  reminder_set: 'A mail will remind you before the next renewal.',
  discount_accepted: 'The next two renewals cost 30 % less.',
  kept_plan: 'Everything stays as it is. Thank you for telling.',
}

/** The way out of a paid plan, with what else there is on the way. */
export function CancelSubscription({ billing }: { billing: Billing }) {
  const [open, setOpen] = useState(false)
  return (
    <Section
      title="Leave the plan"
      description="Your projects and files stay. What is paid is not paid back, so a reminder before the renewal may be the better way."
    >
      <Button onClick={() => setOpen(true)}>Cancel the plan…</Button>
      {open && <Flow billing={billing} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function Flow({ billing, onClose }: { billing: Billing; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [detail, setDetail] = useState('')
  const [sure, setSure] = useState(false)
  const say = useServerChange(
    (outcome: Outcome) => giveFeedback(reason, detail.trim(), outcome),
    [queryKeys.billing, queryKeys.allMovements, queryKeys.allInvoices],
    (_, outcome) => {
      toast.success(DONE[outcome])
      onClose()
    },
    true,
  )
  const plan = tierName(billing.tier)
  const blocked = reason === '' || say.isPending
  return (
    <Dialog
      open
      onOpenChange={(o) => !o && onClose()}
      title={`Cancel ${plan}?`}
      description="Say why first; it is read. Nothing happens before you choose below."
    >
      <div className="flex flex-col gap-4">
        <Select label="Why" value={reason} onChange={(e) => setReason(e.target.value)} options={REASONS} />
        <TextArea
          label="Anything to add"
          rows={3}
          maxLength={5000}
          value={detail}
          onChange={(e) => setDetail(e.target.value)}
          hint="Not needed."
        />
        {say.isError && (
          <Notice tone="danger" title="Nothing was changed">
            {messageOf(say.error)}
          </Notice>
        )}
        <ul className="flex flex-col gap-2">
          <Way
            title="Keep the plan"
            says="Just tell us, and change nothing."
            action="Keep it"
            disabled={blocked}
            onClick={() => say.mutate('kept_plan')}
          />
          {!billing.discount_used && (
            <Way
              title="30 % off the next two renewals"
              says="Once for an account."
              action="Take the discount"
              disabled={blocked}
              onClick={() => say.mutate('discount_accepted')}
            />
          )}
          <Way
            title="Remind me before the renewal"
            says={
              billing.current_period_ends_at
                ? `A mail comes three days before ${day(billing.current_period_ends_at)}. You use what is paid, and decide then.`
                : 'A mail comes three days before.'
            }
            action="Remind me"
            disabled={blocked}
            onClick={() => say.mutate('reminder_set')}
          />
          <Way
            title="End it now"
            says={
              sure
                ? 'The days that are left are not paid back, and AI minutes above those of Free expire. Sure?'
                : `You are on Free from this moment on.`
            }
            action={sure ? 'Yes, end it now' : 'End it now'}
            danger
            disabled={blocked}
            onClick={() => (sure ? say.mutate('cancelled') : setSure(true))}
          />
        </ul>
        {reason === '' && <p className="text-xs text-faint">Choose a reason to go on.</p>}
      </div>
    </Dialog>
  )
}

function Way({
  title,
  says,
  action,
  danger = false,
  disabled,
  onClick,
}: {
  title: string
  says: string
  action: string
  danger?: boolean
  disabled: boolean
  onClick: () => void
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-line bg-raised p-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="text-sm font-medium">{title}</p>
        <p className="text-xs text-muted" aria-live="polite">
          {says}
        </p>
      </div>
      <Button variant={danger ? 'danger' : 'plain'} disabled={disabled} onClick={onClick}>
        {action}
      </Button>
    </li>
  )
}
