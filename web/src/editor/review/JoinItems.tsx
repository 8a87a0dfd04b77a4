import { ZoomIn } from 'lucide-react'
import { reviewText as text } from '../../text/editor/review'
import { MenuChoice, SubMenu } from '../commands/ContextArea'
import { mutes } from '../edits/cuts'
import type { ReviewRow } from '../edits/stretches'
import { useExportOptions } from '../state/exportOptions'
import { choiceAt, joinAt, setJoin } from '../plan/joins'
import { useTimeMap } from '../player/usePreview'
import { useLayout } from '../state/contexts'

const PLANNED = 'planned'

/** The punch-in at the join that a cut makes; nothing for a cut that makes none between two segments with video. */
export function JoinItems({ row }: { row: ReviewRow }) {
  const { plan } = useTimeMap()
  const { ready, layout } = useLayout()
  const punchIn = useExportOptions((s) => s.options.punch_in)
  const change = useExportOptions((s) => s.change)
  const place = row.active && !mutes(row) ? joinAt(plan, ready, layout, (row.start_ms + row.end_ms) / 2) : null
  if (!place || ready.find((c) => c.uuid === place.clip)?.width === null) return null
  const now = choiceAt(punchIn.joins, place)
  const set = (to: typeof now) => change({ punch_in: { ...punchIn, joins: setJoin(punchIn.joins, place, to) } })
  const { size, change: how } = now
  return (
    <SubMenu label={text.join} icon={ZoomIn}>
      <MenuChoice
        label={text.joinSize}
        value={size ?? PLANNED}
        options={[
          { value: PLANNED, label: text.joinPlanned },
          { value: 'in', label: text.joinIn },
          { value: 'out', label: text.joinOut },
        ]}
        onChange={(to) => set({ ...(to === PLANNED ? {} : { size: to }), ...(how ? { change: how } : {}) })}
      />
      <MenuChoice
        label={text.joinChange}
        value={how ?? PLANNED}
        options={[
          { value: PLANNED, label: text.joinPlanned },
          { value: 'hard', label: text.joinHard },
          { value: 'eased', label: text.joinEased },
        ]}
        onChange={(to) => set({ ...(size ? { size } : {}), ...(to === PLANNED ? {} : { change: to }) })}
      />
    </SubMenu>
  )
}
