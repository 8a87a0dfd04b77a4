import { useEffect, useState } from 'react'
import { settingsOf, type ReplanSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Slider } from '../../ui/Slider'
import { useEdits, useLayout, useProject, useRuns } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { falseStartMeaning, pacingMeaning } from './analysisSettings'
import { DEFAULT_SETTINGS, useAnalyze } from './useAnalyze'
import { useReplan } from './useReplan'

/** The settings of the active run. Changing them previews the cuts; releasing them saves the cuts. */
export function ReplanControls() {
  const { runs, run } = useRuns()
  const { project } = useProject()
  const { totalMs } = useLayout()
  const { previewing } = useEdits()
  const active = runs.find((r) => r.uuid === project.active_run_id)
  const pacing = active?.pacing_level ?? DEFAULT_SETTINGS.pacing
  const falseStarts = active?.false_start_sensitivity ?? DEFAULT_SETTINGS.falseStarts
  const cutFillers = active?.cut_fillers ?? DEFAULT_SETTINGS.cutFillers
  const [changed, setChanged] = useState<ReplanSettings | null>(null)
  const { show, commit } = useReplan(project.active_run_id, { pacing, falseStarts })
  const { start, busy } = useAnalyze()
  const shown = changed ?? { pacing, falseStarts }
  // The saved settings replace the changed ones.
  useEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- the answer of the server ends the change
    setChanged(null)
  }, [pacing, falseStarts])
  const preview = (next: ReplanSettings) => {
    setChanged(next)
    show(next)
  }
  const clipsChanged = active !== undefined && totalMs > 0 && active.duration_ms !== totalMs
  const [open, setOpen] = useState<'pacing' | 'falseStarts' | null>(null)
  return (
    <div className="border-b border-line px-3 py-2">
      <CompactSlider
        label={text.pacing}
        value={shown.pacing}
        onFocus={() => setOpen('pacing')}
        onChange={(v) => preview({ ...shown, pacing: v })}
        onCommit={(v) => commit({ ...shown, pacing: v })}
        meaning={pacingMeaning(shown.pacing)}
      />
      <CompactSlider
        label={text.falseStarts}
        value={shown.falseStarts}
        disabled={run?.model === null}
        onFocus={() => setOpen('falseStarts')}
        onChange={(v) => preview({ ...shown, falseStarts: v })}
        onCommit={(v) => commit({ ...shown, falseStarts: v })}
        meaning={falseStartMeaning(shown.falseStarts)}
      />
      <p className={`truncate text-xs ${previewing ? 'text-accent' : 'text-faint'}`}>
        {open === 'falseStarts' ? falseStartMeaning(shown.falseStarts) : pacingMeaning(shown.pacing)}
      </p>
      {clipsChanged && (
        <div className="mt-2">
          <Notice
            title={text.clipsChanged}
            action={
              <Button size="sm" disabled={busy} onClick={() => start({ ...shown, cutFillers })}>
                {text.findCutsAgain}
              </Button>
            }
          >
            {text.clipsChangedDetail}
          </Notice>
        </div>
      )}
      {run?.status === 'completed' && run.model === null && !clipsChanged && (
        <div className="mt-1 flex items-center gap-2 text-xs text-muted">
          <span className="flex-1">{text.noModelUsed}</span>
          <Button size="sm" disabled={busy} onClick={() => start({ ...shown, cutFillers })}>
            {text.findAgain}
          </Button>
        </div>
      )}
    </div>
  )
}

interface CompactSliderProps {
  label: string
  value: number
  meaning: string
  disabled?: boolean
  onFocus: () => void
  onChange: (value: number) => void
  onCommit: (value: number) => void
}

function CompactSlider({ label, value, meaning, disabled = false, onFocus, onChange, onCommit }: CompactSliderProps) {
  return (
    <div className="flex h-7 items-center gap-3" onFocusCapture={onFocus} onPointerDownCapture={onFocus}>
      <span className={`w-20 shrink-0 text-xs font-medium ${disabled ? 'text-faint' : ''}`}>{label}</span>
      <Slider
        compact
        label={label}
        value={value}
        meaning={meaning}
        disabled={disabled}
        onChange={onChange}
        onCommit={onCommit}
      />
      <span className="w-6 shrink-0 text-right text-xs font-semibold">{value}</span>
    </div>
  )
}

/** Buttons that compare the runs and start another one. */
export function RunActions() {
  const { runs } = useRuns()
  const { project } = useProject()
  const { start, busy } = useAnalyze()
  const active = runs.find((r) => r.uuid === project.active_run_id)
  if (!active) return null
  return (
    <>
      <Button
        size="sm"
        variant="quiet"
        className="ml-auto !h-6"
        onClick={() => useEditorStore.getState().set({ comparing: true })}
      >
        {text.compareRuns}
      </Button>
      <Button size="sm" variant="quiet" className="!h-6" disabled={busy} onClick={() => start(settingsOf(active))}>
        {text.findAgain}
      </Button>
    </>
  )
}
