import { useState } from 'react'
import { requestSupport } from '../../api/billing'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'
import { Select } from '../../ui/Select'
import { TextArea } from '../../ui/TextArea'
import { useSubmit } from '../useSubmit'

const REASONS = [
  { value: 'question', label: 'A question' },
  { value: 'problem', label: 'Something does not work' },
  { value: 'billing', label: 'Plan and payment' },
  { value: 'idea', label: 'An idea' },
]

/** Writes to the people who run this server. */
export function Support() {
  const [round, setRound] = useState(0)
  const form = useSubmit(async (v) => {
    await requestSupport(v['reason'] ?? 'question', (v['message'] ?? '').trim())
    setRound((n) => n + 1)
  })
  return (
    <Section
      title="Write to the team"
      description="Your plan and what is left of your AI minutes go along with it. The answer comes by mail."
    >
      <form key={round} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        {round > 0 && <Notice title="Your message is on its way">A copy comes to your address.</Notice>}
        {form.message && (
          <Notice tone="danger" title="Nothing was sent">
            {form.message}
          </Notice>
        )}
        <Select className="max-w-64" label="It is about" name="reason" options={REASONS} />
        <TextArea label="Message" name="message" required maxLength={10000} rows={5} error={form.fields['message']} />
        <Button type="submit" disabled={form.busy} className="self-start">
          {form.busy ? 'Sending…' : 'Send'}
        </Button>
      </form>
    </Section>
  )
}
