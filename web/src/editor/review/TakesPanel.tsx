import { Check, Play } from 'lucide-react'
import { useMemo } from 'react'
import type { Take, TakeGroup } from '../../api/takes'
import { reviewText as text } from '../../text/editor/review'
import { duration } from '../../text/format'
import { Badge } from '../../ui/Badge'
import { IconButton } from '../../ui/Button'
import { Kbd } from '../../ui/Tip'
import { LOW, useMedia } from '../../ui/useMedia'
import { useActions } from '../commands/useCommand'
import { keyLabel } from '../commands/keymap'
import { useKeymap } from '../commands/keymapStore'
import { completionOf, editsByTake, isKept } from '../edits/takes'
import { useEdits } from '../state/contexts'
import { timecode } from '../plan/timecode'

/**
 * The takes of a group below each other. One take is kept; a click on another one keeps that instead. In a low window each
 * take has two lines, so that three of them are visible at once.
 */
export function TakesPanel({ group }: { group: TakeGroup }) {
  const low = useMedia(LOW)
  const { edits, previewing } = useEdits()
  const byTake = useMemo(() => editsByTake(edits), [edits])
  return (
    <div
      role="group"
      aria-label={text.takes(group.takes.length)}
      data-takes={group.id}
      className="mt-1.5 mb-1 -ml-6 overflow-hidden rounded-md border border-line bg-surface"
      onClick={(event) => event.stopPropagation()}
    >
      <ul>
        {group.takes.map((take) => (
          <TakeRow
            key={take.number}
            group={group}
            take={take}
            kept={isKept(group, take, byTake)}
            locked={previewing}
            low={low}
          />
        ))}
      </ul>
      <Keys takes={group.takes.length} />
    </div>
  )
}

interface TakeRowProps {
  group: TakeGroup
  take: Take
  kept: boolean
  locked: boolean
  low: boolean
}

function TakeRow({ group, take, kept, locked, low }: TakeRowProps) {
  const { playTake, chooseTake } = useActions()
  const name = text.take(take.number)
  const completion = completionOf(group, take)
  const words = take.text || text.takeWithoutText(timecode(take.start_ms))
  const quality = completion
    ? text.aborts(completion.number, low ? '' : completion.text)
    : text.takeReason(take.reason) || text.takeQuality(take)

  const facts = (
    <span className="ml-auto shrink-0 text-faint">
      {text.takeFacts(duration(take.end_ms - take.start_ms), take.level_db)}
    </span>
  )

  return (
    <li
      className={`flex border-b border-line ${kept ? 'bg-accent-soft' : ''}`}
      data-take={take.number}
      data-kept={kept}
    >
      <IconButton
        label={text.playTake(take.number)}
        className="h-auto w-8 self-stretch rounded-none"
        onClick={() => playTake(group, take.number)}
      >
        <Play size={12} />
      </IconButton>
      <button
        type="button"
        aria-pressed={kept}
        disabled={locked}
        onClick={() => chooseTake(group, take.number)}
        title={low ? words : undefined}
        className={`min-w-0 flex-1 px-2 text-left text-xs outline-offset-[-2px] hover:bg-hover ${low ? 'py-0.5' : 'py-1.5 leading-5'}`}
      >
        <span className="flex items-center gap-1.5">
          <span className={`shrink-0 font-semibold ${kept ? 'text-accent' : 'text-muted'}`}>{name}</span>
          {kept && <Check size={13} className="shrink-0 text-accent" aria-hidden />}
          {take.proposed && <Badge tone={kept ? 'accent' : 'plain'}>{text.proposed}</Badge>}
          {low ? <span className="min-w-0 truncate text-faint">{quality}</span> : facts}
        </span>
        <span className={low ? 'flex gap-2' : ''}>
          <span className={`${low ? 'truncate' : 'line-clamp-3'} ${kept ? 'text-ink' : 'text-muted'}`}>
            {words}
            {take.partial && ' …'}
          </span>
          {low && facts}
        </span>
        {!low && <span className="block text-faint">{quality}</span>}
      </button>
    </li>
  )
}

// Keys shows the shortcuts of the takes.
function Keys({ takes }: { takes: number }) {
  const { chooseTake: choose, playTake: play } = useKeymap((s) => s.map)
  const range = (keys: readonly string[]) =>
    keys.length > 0 ? [keyLabel(keys[0]!), keyLabel(keys[Math.min(takes, keys.length) - 1]!)] : []

  const [from, to] = range(choose)
  const [playFrom, playTo] = range(play)
  if (!from || !to || !playFrom || !playTo) return null
  return (
    <p className="flex flex-wrap items-center gap-x-1 gap-y-0.5 px-2 py-1 text-xs text-faint">
      <Kbd>{from}</Kbd>–<Kbd>{to}</Kbd> {text.hint.keep} <Kbd>{playFrom}</Kbd>–<Kbd>{playTo}</Kbd> {text.hint.play}
    </p>
  )
}
