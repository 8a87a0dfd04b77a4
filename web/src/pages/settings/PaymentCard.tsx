import { useState } from 'react'
import { paymentPage } from '../../api/billing'
import { messageOf } from '../../api/client'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'

/** The card that renewals are charged to. */
export function PaymentCard({ pastDue }: { pastDue: boolean }) {
  const [problem, setProblem] = useState<unknown>(null)
  const [leaving, setLeaving] = useState(false)
  const go = () => {
    setLeaving(true)
    setProblem(null)
    paymentPage()
      .then((url) => window.location.assign(url))
      .catch((error: unknown) => {
        setProblem(error)
        setLeaving(false)
      })
  }
  return (
    <Section
      title="Card"
      description={
        pastDue
          ? 'The renewal was declined. It is tried again at once with a card that you leave now.'
          : 'It is left at the payment provider and never seen by this server. Upgrades and renewals are charged to the latest one.'
      }
    >
      <div className="flex flex-col items-start gap-3">
        <Button variant={pastDue ? 'primary' : 'plain'} disabled={leaving} onClick={go}>
          {leaving ? 'Going to the payment provider…' : 'Leave a card'}
        </Button>
        {problem !== null && <Notice title="No card is needed, or none can be left now">{messageOf(problem)}</Notice>}
      </div>
    </Section>
  )
}
