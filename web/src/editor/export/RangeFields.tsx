import { exportText as text } from '../../text/editor/export'
import { shortsText } from '../../text/editor/shorts'
import { Field } from '../../ui/Field'
import { Select } from '../../ui/Select'
import { timecode } from '../plan/timecode'
import type { Span } from '../plan/renderPlan'
import { useShorts } from '../state/contexts'
import type { ChosenRange, RangeChoice, RangeProblem } from './exportRange'

interface RangeSelectProps {
  choice: RangeChoice
  /** The footage that was selected when the dialog opened; null without a selection. */
  selection: Span | null
  onChange: (choice: RangeChoice) => void
}

/** Chooses what of the project the export has. */
export function RangeSelect({ choice, selection, onChange }: RangeSelectProps) {
  const { shorts } = useShorts()
  const options = [
    { value: 'whole', label: text.range.whole },
    ...(selection
      ? [{ value: 'selection', label: text.range.selection(timecode(selection.startMs), timecode(selection.endMs)) }]
      : []),
    { value: 'times', label: text.range.times },
    ...shorts.map((s) => ({ value: s.uuid, label: s.name, group: shortsText.lane })),
  ]

  return (
    <Select
      label={text.range.title}
      value={choice.kind === 'short' ? (choice.short ?? '') : choice.kind}
      options={options}
      onChange={({ target: { value } }) => {
        if (value === 'whole' || value === 'selection' || value === 'times') onChange({ ...choice, kind: value })
        else onChange({ ...choice, kind: 'short', short: value })
      }}
    />
  )
}

interface RangeTimesProps extends ChosenRange {
  choice: RangeChoice
  totalMs: number
  onChange: (choice: RangeChoice) => void
}

/** The typed times of a range, as the timeline shows them. */
export function RangeTimes({ choice, totalMs, problems, onChange }: RangeTimesProps) {
  if (choice.kind !== 'times') return null
  const error = (problem: RangeProblem | undefined) => problem && text.range.problems[problem](timecode(totalMs))
  return (
    <>
      <Field
        label={text.range.from}
        value={choice.from}
        placeholder={timecode(0)}
        autoComplete="off"
        onChange={(e) => onChange({ ...choice, from: e.target.value })}
        hint={text.range.timesHint}
        error={error(problems.from)}
      />
      <Field
        label={text.range.to}
        value={choice.to}
        placeholder={timecode(totalMs)}
        autoComplete="off"
        onChange={(e) => onChange({ ...choice, to: e.target.value })}
        error={error(problems.to)}
      />
    </>
  )
}
