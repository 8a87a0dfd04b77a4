import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { feedbackQuery, type Feedback as Said } from '../../api/admin'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { REASONS } from './CancelSubscription'
import { day, tierName } from './billing'

const OUTCOMES: Record<Said['outcome'], string> = {
  cancelled: 'left',
  reminder_set: 'wants to be reminded',
  discount_accepted: 'took the discount',
  kept_plan: 'stayed',
}

const reason = (said: string) => REASONS.find((r) => r.value === said)?.label ?? said

/** What people said when they thought of leaving; nothing while nobody did. */
export function Feedback() {
  const [page, setPage] = useState(1)
  const list = useQuery(feedbackQuery(page)).data
  if (!list || list.total === 0) return null
  return (
    <Section title="Why people think of leaving" description="What they said when they ended a plan, or nearly did.">
      <ul aria-label="What people said" className="divide-y divide-line">
        {list.items.map((said) => (
          <li key={said.uuid} className="py-3 text-sm">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{reason(said.reason)}</span>
              <span className="text-muted">
                on {tierName(said.tier)}, {OUTCOMES[said.outcome]}
              </span>
              <span className="ml-auto text-xs text-faint">{day(said.created_at)}</span>
            </div>
            {said.detail && <p className="mt-1 break-words whitespace-pre-wrap">{said.detail}</p>}
          </li>
        ))}
      </ul>
      <Pager page={page} size={list.page_size} total={list.total} what="what people said" onChange={setPage} />
    </Section>
  )
}
