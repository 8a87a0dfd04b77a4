import { useQuery } from '@tanstack/react-query'
import { updateMe } from '../../api/account'
import { sessionQuery } from '../../api/session'
import { directorText as text } from '../../text/director'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'
import { useServerChange } from './useServerChange'

const STALE = [sessionQuery.queryKey]

/** Switches the suggestions of the AI Director for the account. */
export function Director() {
  const user = useQuery(sessionQuery).data
  const change = useServerChange((ai_director: boolean) => updateMe({ ai_director }), STALE)
  return (
    <Section title={text.title} description={text.help}>
      <Switch
        label={text.account}
        hint={text.accountHint}
        checked={change.isPending ? change.variables : (user?.ai_director ?? true)}
        onChange={(on) => change.mutate(on)}
      />
    </Section>
  )
}
