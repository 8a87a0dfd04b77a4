import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { feedbackQuery } from '../../api/admin'
import { billingText } from '../../text/billing'
import { date } from '../../text/format'
import { peopleText } from '../../text/people'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'

import { tierName } from './billing'

const reasonLabel = (reason: string) => (billingText.cancelReasons as Record<string, string>)[reason] ?? reason

/** The reasons that people gave when they cancelled; renders nothing without feedback. */
export function Feedback() {
  const [page, setPage] = useState(1)
  const list = useQuery(feedbackQuery(page)).data
  if (!list || list.total === 0) return null
  return (
    <Section title={peopleText.feedback} description={peopleText.feedbackHelp}>
      <ul aria-label={peopleText.feedback} className="divide-y divide-line">
        {list.items.map((entry) => (
          <li key={entry.uuid} className="py-3 text-sm">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{reasonLabel(entry.reason)}</span>
              <span className="text-muted">
                {peopleText.outcome(tierName(entry.tier), peopleText.outcomes[entry.outcome])}
              </span>
              <span className="ml-auto text-xs text-faint">{date(entry.created_at)}</span>
            </div>
            {entry.detail && <p className="mt-1 break-words whitespace-pre-wrap">{entry.detail}</p>}
          </li>
        ))}
      </ul>
      <Pager page={page} list={list} what={peopleText.pagedFeedback} onChange={setPage} />
    </Section>
  )
}
