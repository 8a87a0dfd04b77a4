import { useState } from 'react'
import { toast } from 'sonner'
import { allMovements, billingQuery, giveFeedback, invoicePages, type Billing, type Outcome } from '../../api/billing'
import { messageOf } from '../../api/client'
import { billingText } from '../../text/billing'
import { date } from '../../text/format'
import { settingsText } from '../../text/settings'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { TextArea } from '../../ui/TextArea'
import { tierName } from './billing'
import { useServerChange } from './useServerChange'

/** The reasons to cancel. The first option stands for no choice. */
const REASONS = Object.entries(billingText.cancelReasons).map(([value, label]) => ({ value, label }))

const DONE: Record<Outcome, string> = {
  cancelled: billingText.cancelled,
  reminder_set: billingText.reminderSet,
  discount_accepted: billingText.discountAccepted,
  kept_plan: billingText.kept,
}

/** Cancels a paid subscription, after offering a discount and a reminder. */
export function CancelSubscription({ billing }: { billing: Billing }) {
  const [open, setOpen] = useState(false)
  return (
    <Section title={billingText.cancelTitle} description={billingText.cancelHelp}>
      <Button onClick={() => setOpen(true)}>{billingText.cancelItem}</Button>
      {open && <Flow billing={billing} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function Flow({ billing, onClose }: { billing: Billing; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [detail, setDetail] = useState('')
  const [sure, setSure] = useState(false)
  const send = useServerChange(
    (outcome: Outcome) => giveFeedback(reason, detail.trim(), outcome),
    [billingQuery.queryKey, allMovements.queryKey, invoicePages.queryKey],
    (_, outcome) => {
      toast.success(DONE[outcome])
      onClose()
    },
    true,
  )

  const blocked = reason === '' || send.isPending
  return (
    <Dialog
      open
      onOpenChange={(o) => !o && onClose()}
      title={billingText.confirmCancel(tierName(billing.tier))}
      description={billingText.confirmCancelHelp}
    >
      <div className="flex flex-col gap-4">
        <Select
          label={billingText.reason}
          value={reason}
          onChange={(e) => setReason(e.target.value)}
          options={REASONS}
        />
        <TextArea
          label={billingText.comment}
          rows={3}
          maxLength={5000}
          value={detail}
          onChange={(e) => setDetail(e.target.value)}
          hint={billingText.optional}
        />
        {send.isError && (
          <Notice tone="danger" title={settingsText.nothingChanged}>
            {messageOf(send.error)}
          </Notice>
        )}
        <ul className="flex flex-col gap-2">
          <Option
            title={billingText.keepTitle}
            help={billingText.keepHelp}
            action={billingText.keepAction}
            disabled={blocked}
            onClick={() => send.mutate('kept_plan')}
          />
          {!billing.discount_used && (
            <Option
              title={billingText.discountTitle}
              help={billingText.discountHelp}
              action={billingText.discountAction}
              disabled={blocked}
              onClick={() => send.mutate('discount_accepted')}
            />
          )}
          <Option
            title={billingText.reminderTitle}
            help={
              billing.current_period_ends_at
                ? billingText.reminderHelpOn(date(billing.current_period_ends_at))
                : billingText.reminderHelp
            }
            action={billingText.reminderAction}
            disabled={blocked}
            onClick={() => send.mutate('reminder_set')}
          />
          <Option
            title={billingText.endTitle}
            help={sure ? billingText.endSure : billingText.endHelp}
            action={sure ? billingText.endConfirm : billingText.endAction}
            danger
            disabled={blocked}
            onClick={() => (sure ? send.mutate('cancelled') : setSure(true))}
          />
        </ul>
        {reason === '' && <p className="text-xs text-faint">{billingText.chooseReason}</p>}
      </div>
    </Dialog>
  )
}

function Option({
  title,
  help,
  action,
  danger = false,
  disabled,
  onClick,
}: {
  title: string
  help: string
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
          {help}
        </p>
      </div>
      <Button variant={danger ? 'danger' : 'plain'} disabled={disabled} onClick={onClick}>
        {action}
      </Button>
    </li>
  )
}
