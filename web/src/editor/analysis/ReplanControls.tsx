import { Info, Layers2, SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useMemo, useState } from 'react'
import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Button, IconButton } from '../../ui/Button'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { Slider } from '../../ui/Slider'
import { Switch } from '../../ui/Switch'
import { LOW, useMedia } from '../../ui/useMedia'
import { useEdits, useProject, useRuns } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { AnalyzeAgain } from './AnalyzeAgain'
import { DEFAULT_SETTINGS, falseStartMeaning, pacingMeaning } from '../edits/analysisSettings'
import { CutOptionFields } from './CutOptionFields'
import { changedOptions } from '../edits/cutOptions'
import { DirectorSwitch } from './DirectorSwitch'
import { ProjectVocabulary } from './ProjectVocabulary'
import { RunFacts } from './RunFacts'
import { useReplan } from './useReplan'

/** The settings of the active run. Changing them previews the cuts; releasing them saves the cuts. */
export function ReplanControls() {
  const { runs, run } = useRuns()
  const { project } = useProject()
  const { previewing } = useEdits()
  const low = useMedia(LOW)
  const active = runs.find((r) => r.uuid === project.active_run_id)
  const saved = useMemo(() => (active ? settingsOf(active) : DEFAULT_SETTINGS), [active])
  const [changed, setChanged] = useState<AnalysisSettings | null>(null)
  const { show, commit } = useReplan(project.active_run_id)
  const shown = changed ?? saved
  // The saved settings replace the changed ones, also after an undo, unless the person has changed them further.
  const save = (next: AnalysisSettings) =>
    commit(next, () => setChanged((now) => (JSON.stringify(now) === JSON.stringify(next) ? null : now)))

  const preview = (next: AnalysisSettings) => {
    setChanged(next)
    show(next)
  }

  const choose = (next: AnalysisSettings) => {
    setChanged(next)
    save(next)
  }

  const clipsChanged = active?.covers_clips === false
  const [open, setOpen] = useState<'pacing' | 'falseStarts' | null>(null)
  const meaning = open === 'falseStarts' ? falseStartMeaning(shown.falseStarts) : pacingMeaning(shown.pacing)
  // A change before the settings of the run are loaded would save the default ones.
  return (
    <div className={`border-b border-line px-3 py-2 [@media(max-height:799px)]:py-1 ${active ? '' : 'invisible'}`}>
      <CompactSlider
        label={text.pacing}
        value={shown.pacing}
        onFocus={() => setOpen('pacing')}
        onBlur={() => setOpen(null)}
        onChange={(v) => preview({ ...shown, pacing: v })}
        onCommit={(v) => save({ ...shown, pacing: v })}
        meaning={pacingMeaning(shown.pacing)}
      />
      <CompactSlider
        label={text.falseStarts}
        value={shown.falseStarts}
        onFocus={() => setOpen('falseStarts')}
        onBlur={() => setOpen(null)}
        onChange={(v) => preview({ ...shown, falseStarts: v })}
        onCommit={(v) => save({ ...shown, falseStarts: v })}
        meaning={falseStartMeaning(shown.falseStarts)}
      />
      <div className="flex min-h-6 items-center gap-2">
        {open === null && !previewing && active?.status === 'completed' ? (
          <RunFacts run={active} />
        ) : (
          <p className={`min-w-0 flex-1 text-xs leading-tight ${previewing ? 'text-accent' : 'text-faint'}`}>
            {meaning}
          </p>
        )}
        <MoreChoices settings={shown} onChange={choose} />
      </div>
      {clipsChanged && (
        <div role="status" className="mt-1 flex items-center gap-2 text-xs">
          <Info size={14} className="shrink-0 text-accent" aria-hidden />
          <span className="min-w-0 flex-1">{text.clipsChanged}</span>
          <AnalyzeAgain settings={shown} label={text.findCutsAgain} />
        </div>
      )}
      {run?.status === 'completed' && run.model === null && !clipsChanged && (
        <div className="mt-1 flex items-center gap-2 text-xs text-muted [@media(max-height:799px)]:mt-0">
          <span className="min-w-0 flex-1 [@media(max-height:799px)]:truncate" title={text.noModelUsed}>
            {text.noModelUsed}
          </span>
          {!low && <AnalyzeAgain settings={shown} />}
        </div>
      )}
    </div>
  )
}

// MoreChoices holds the settings that are changed less often. A change is saved at once.
function MoreChoices({
  settings,
  onChange,
}: {
  settings: AnalysisSettings
  onChange: (settings: AnalysisSettings) => void
}) {
  const { cutFillers, options } = settings
  const { clips } = useProject()
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button size="sm" variant="quiet" className="-mr-1.5 h-6 gap-1 px-1.5">
          <SlidersHorizontal size={12} aria-hidden />
          {text.moreChoices(changedOptions(options))}
        </Button>
      </Popover.Trigger>
      <PopoverPanel
        aria-label={text.moreChoices(0)}
        className="flex max-h-(--radix-popover-content-available-height) w-88 max-w-[calc(100vw-16px)] flex-col gap-4 overflow-y-auto p-4"
      >
        <Switch
          label={text.cutFillers}
          hint={text.cutFillersHint}
          checked={cutFillers}
          onChange={(on) => onChange({ ...settings, cutFillers: on })}
        />
        <CutOptionFields
          value={options}
          motionPending={clips.some((c) => c.sprite_pending)}
          onChange={(next) => onChange({ ...settings, options: next })}
        />
        <DirectorSwitch />
        <ProjectVocabulary />
      </PopoverPanel>
    </Popover.Root>
  )
}

interface CompactSliderProps {
  label: string
  value: number
  meaning: string
  onFocus: () => void
  onBlur: () => void
  onChange: (value: number) => void
  onCommit: (value: number) => void
}

function CompactSlider({ label, value, meaning, onFocus, onBlur, onChange, onCommit }: CompactSliderProps) {
  return (
    <div
      className="flex h-7 items-center gap-3 [@media(max-height:799px)]:h-6"
      onFocusCapture={onFocus}
      onBlurCapture={onBlur}
      onPointerDownCapture={onFocus}
    >
      <span className="w-20 shrink-0 text-xs font-medium">{label}</span>
      <Slider compact label={label} value={value} meaning={meaning} onChange={onChange} onCommit={onCommit} />
      <span className="w-6 shrink-0 text-right text-xs font-semibold">{value}</span>
    </div>
  )
}

/** Buttons that compare the runs and start another one. */
export function RunActions() {
  const { runs } = useRuns()
  const { project } = useProject()
  const active = runs.find((r) => r.uuid === project.active_run_id)
  const low = useMedia(LOW)
  if (!active) return null
  const compare = () => useEditorStore.getState().set({ comparing: true })
  return (
    <>
      {low ? (
        <IconButton label={text.compareRuns} className="ml-auto size-6" onClick={compare}>
          <Layers2 size={14} />
        </IconButton>
      ) : (
        <Button size="sm" variant="quiet" className="ml-auto h-6 px-1" onClick={compare}>
          {text.compareRuns}
        </Button>
      )}
      <AnalyzeAgain settings={settingsOf(active)} quiet />
    </>
  )
}
