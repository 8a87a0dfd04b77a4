import { useState } from 'react'
import { paymentPage } from '../../api/billing'
import { messageOf } from '../../api/client'
import { billingText } from '../../text/billing'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Section } from '../../ui/Section'

/** The payment card for upgrades and renewals. */
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
    <Section title={billingText.card} description={pastDue ? billingText.cardPastDueHelp : billingText.cardHelp}>
      <div className="flex flex-col items-start gap-3">
        <Button variant={pastDue ? 'primary' : 'plain'} disabled={leaving} onClick={go}>
          {leaving ? billingText.openingProvider : billingText.addCard}
        </Button>
        {problem !== null && <Notice title={billingText.cardFailed}>{messageOf(problem)}</Notice>}
      </div>
    </Section>
  )
}
