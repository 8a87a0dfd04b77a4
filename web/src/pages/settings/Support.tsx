import { useState } from 'react'
import { requestSupport } from '../../api/billing'
import { billingText } from '../../text/billing'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { TextArea } from '../../ui/TextArea'
import { useSubmit } from '../../ui/useSubmit'

const TOPICS = (['question', 'problem', 'billing', 'idea'] as const).map((value) => ({
  value,
  label: billingText.topics[value],
}))

/** A form that emails the operators of this server. */
export function Support() {
  const [round, setRound] = useState(0)
  const form = useSubmit(async (v) => {
    await requestSupport(v['reason'] ?? 'question', (v['message'] ?? '').trim())
    setRound((n) => n + 1)
  })

  return (
    <Section title={billingText.contact} description={billingText.contactHelp}>
      <form key={round} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {round > 0 && <Notice title={billingText.messageSent}>{billingText.messageSentHelp}</Notice>}
        {form.message && (
          <Notice tone="danger" title={billingText.messageNotSent}>
            {form.message}
          </Notice>
        )}
        <Select className="max-w-64" label={billingText.topic} name="reason" options={TOPICS} />
        <TextArea
          label={billingText.message}
          name="message"
          required
          maxLength={10000}
          rows={5}
          error={form.fields['message']}
        />
        <Button type="submit" disabled={form.busy} className="self-start">
          {form.busy ? billingText.sending : billingText.send}
        </Button>
      </form>
    </Section>
  )
}
