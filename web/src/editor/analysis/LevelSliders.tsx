import { useState, type ReactNode } from 'react'
import type { AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Slider } from '../../ui/Slider'
import { falseStartMeaning, pacingMeaning } from '../edits/analysisSettings'

type Levels = Pick<AnalysisSettings, 'pacing' | 'falseStarts'>

/** The settings from 0 to 100, with the names of both ends and the meaning of a value. */
const LEVELS = [
  { name: 'pacing', label: text.pacing, low: text.pacingLow, high: text.pacingHigh, meaningOf: pacingMeaning },
  {
    name: 'falseStarts',
    label: text.falseStarts,
    low: text.falseStartsLow,
    high: text.falseStartsHigh,
    meaningOf: falseStartMeaning,
  },
] as const

interface LevelSlidersProps {
  value: Levels
  onChange: (change: Partial<Levels>) => void
}

/** The sliders of the settings of an analysis, with the meaning of each. */
export const LevelSliders = ({ value, onChange }: LevelSlidersProps) =>
  LEVELS.map(({ name, meaningOf, ...texts }) => (
    <Slider
      key={name}
      {...texts}
      value={value[name]}
      meaning={meaningOf(value[name])}
      onChange={(level) => onChange({ [name]: level })}
    />
  ))

interface CompactLevelsProps extends LevelSlidersProps {
  /** Receives a change that has ended, as when the mouse releases a slider. */
  onCommit: (change: Partial<Levels>) => void
  /** Whether the meaning stands out. */
  marked: boolean
  /** What stands after the meaning. */
  children: ReactNode
}

/** The sliders in one line each, with the meaning of the one that was used last. */
export function CompactLevels({ value, onChange, onCommit, marked, children }: CompactLevelsProps) {
  const [used, setUsed] = useState<(typeof LEVELS)[number]>(LEVELS[0])
  return (
    <>
      {LEVELS.map((level) => {
        const { name, label, meaningOf } = level
        const use = () => setUsed(level)
        return (
          <div
            key={name}
            className="flex h-7 items-center gap-3 phone:h-10"
            onFocusCapture={use}
            onPointerDownCapture={use}
          >
            <span className="w-20 shrink-0 text-xs font-medium">{label}</span>
            <Slider
              compact
              label={label}
              value={value[name]}
              meaning={meaningOf(value[name])}
              onChange={(level) => onChange({ [name]: level })}
              onCommit={(level) => onCommit({ [name]: level })}
            />
            <span className="w-6 shrink-0 text-right text-xs font-semibold">{value[name]}</span>
          </div>
        )
      })}
      <div className="flex min-h-8 items-center gap-2">
        <p className={`min-w-0 flex-1 text-xs leading-tight ${marked ? 'text-accent' : 'text-faint'}`}>
          {used.meaningOf(value[used.name])}
        </p>
        {children}
      </div>
    </>
  )
}
