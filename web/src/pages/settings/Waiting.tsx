import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'
import { allPeople, changePerson, waitingQuery, type Account } from '../../api/admin'
import { date } from '../../text/format'
import { peopleText } from '../../text/people'
import { Button } from '../../ui/Button'
import { Section } from '../../ui/Section'
import { useServerChange } from './useServerChange'

/** The people who signed up and whose address is not verified, with a button that lets them in. */
export function Waiting() {
  const waiting = useQuery(waitingQuery).data
  const letIn = useServerChange(
    (account: Account) => changePerson(account.user.uuid, { email_verified: true }),
    [allPeople.queryKey],
    (_, { user }) => toast.success(peopleText.letInDone(user.name)),
  )

  if (!waiting?.total) return null
  return (
    <Section title={peopleText.waiting} description={peopleText.waitingHelp}>
      <ul className="divide-y divide-line" aria-label={peopleText.waiting}>
        {waiting.items.map((account) => (
          <li key={account.user.uuid} className="flex items-center gap-3 py-2 text-sm">
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate font-medium">
                {account.user.name}
              </span>
              <span className="block truncate text-xs text-faint">{account.user.email}</span>
            </span>
            <span className="text-xs text-faint phone:hidden">{peopleText.since(date(account.user.created_at))}</span>
            <Button
              size="sm"
              aria-label={peopleText.letInPerson(account.user.name)}
              disabled={letIn.isPending}
              onClick={() => letIn.mutate(account)}
            >
              {peopleText.letIn}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
