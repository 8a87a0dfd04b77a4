import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { cutDefaultsQuery, resetCutDefaults, setLearning, type CutDefault } from '../../api/cutDefaults'
import { kindOf } from '../../editor/edits/kinds'
import { KindSwatch } from '../../editor/review/KindSwatch'
import { cutDefaultsText as text } from '../../text/cutDefaults'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Section } from '../../ui/Section'
import { Switch } from '../../ui/Switch'
import { Loaded } from './Page'
import { useServerChange } from './useServerChange'

const STALE = [cutDefaultsQuery.queryKey]

/** What the person kept and switched off, what follows from it, and how to undo that. */
export function CutDefaults() {
  const query = useQuery(cutDefaultsQuery)
  const learning = useServerChange(setLearning, STALE)
  const [asking, setAsking] = useState(false)
  const reset = useServerChange(resetCutDefaults, STALE, () => setAsking(false))
  const empty = query.data?.items.every((d) => d.accepted + d.rejected === 0) ?? true
  return (
    <Section
      title={text.title}
      description={text.help}
      action={
        <Button disabled={empty} onClick={() => setAsking(true)}>
          {text.reset}
        </Button>
      }
    >
      <Loaded query={query} what={text.theDefaults}>
        {({ items, enabled }) => (
          <div className="flex flex-col gap-4">
            <Switch
              label={text.learn}
              hint={text.learnHint}
              checked={learning.isPending ? learning.variables : enabled}
              onChange={(on) => learning.mutate(on)}
            />
            <ul aria-label={text.title} className="divide-y divide-line border-t border-line">
              {items.map((item) => (
                <Kind key={item.type} item={item} enabled={enabled} />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={text.resetTitle}
        yes={text.reset}
        busy={reset.isPending}
        onConfirm={() => reset.mutate(undefined)}
      >
        {text.resetHelp}
      </Confirm>
    </Section>
  )
}

function Kind({ item, enabled }: { item: CutDefault; enabled: boolean }) {
  const { type, accepted, rejected, active_from: from, default_active_from: usual } = item
  const kind = kindOf(type)
  const decisions = accepted + rejected
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-1 py-3 text-sm" data-kind={type}>
      <span className="flex w-32 shrink-0 items-center gap-2 font-medium">
        <KindSwatch kind={type} /> {kind.labelPlural}
      </span>
      <span className="w-36 shrink-0">
        {decisions === 0 ? <span className="text-faint">{text.none}</span> : text.decisions(accepted, rejected)}
        {decisions > 0 && (
          <span aria-hidden className="mt-1 flex h-1.5 overflow-hidden rounded-full bg-strong">
            <span className="bg-accent" style={{ width: `${(100 * accepted) / decisions}%` }} />
          </span>
        )}
      </span>
      <span className="min-w-56 flex-1 text-muted">
        {text.follows(decisions, from, usual, enabled)}
        {!kind.activeByDefault && ` ${text.onlyWithFillers}`}
      </span>
    </li>
  )
}
