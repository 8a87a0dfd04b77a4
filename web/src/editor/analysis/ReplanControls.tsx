import { ChevronDown, Info, SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useMemo, useState } from 'react'
import { settingsOf, type AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { Switch } from '../../ui/Switch'
import { FilterMenu } from '../review/FilterMenu'
import { ListMenu } from '../review/ListMenu'
import { useEdits, useProject, useRuns } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { AnalyzeAgain } from './AnalyzeAgain'
import { DEFAULT_SETTINGS } from '../edits/analysisSettings'
import { CutOptionFields } from './CutOptionFields'
import { changedOptions } from '../edits/cutOptions'
import { showsScreen } from '../edits/screens'
import { DirectorSwitch } from './DirectorSwitch'
import { CompactLevels } from './LevelSliders'
import { ProjectVocabulary } from './ProjectVocabulary'
import { RunFacts } from './RunFacts'
import { ScreenNote } from './ScreenNote'
import { useReplan } from './useReplan'

/** The settings of the active run. Changing them previews the cuts; releasing them saves the cuts. */
export function ReplanControls() {
  const { runs, run } = useRuns()
  const { project, clips } = useProject()
  const { previewing } = useEdits()
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
  const open = useEditorStore((s) => s.adjusting)
  // A change before the settings of the run are loaded would save the default ones.
  return (
    <div className={`border-b border-line ${active ? '' : 'invisible'}`}>
      <div className="flex items-center gap-1 px-2 pt-1">
        <Summary settings={shown} open={open} />
        <FilterMenu />
        <ListMenu settings={saved} />
      </div>
      {open && (
        <div className="px-3 pb-1">
          <CompactLevels
            value={shown}
            onChange={(change) => preview({ ...shown, ...change })}
            onCommit={(change) => save({ ...shown, ...change })}
            marked={previewing}
          >
            <MoreChoices settings={shown} onChange={choose} />
          </CompactLevels>
        </div>
      )}
      <div className="flex flex-col gap-1 px-3 text-xs not-empty:pb-1">
        {active?.status === 'completed' && <RunFacts run={active} />}
        {showsScreen(clips) && shown.options.keep_demonstrations && (
          <ScreenNote
            onSwitchOff={() => choose({ ...shown, options: { ...shown.options, keep_demonstrations: false } })}
          />
        )}
        {clipsChanged && (
          <div role="status" className="flex items-center gap-2">
            <Info size={14} className="shrink-0 text-accent" aria-hidden />
            <span className="min-w-0 flex-1">{text.clipsChanged}</span>
            <AnalyzeAgain settings={shown} />
          </div>
        )}
        {run?.status === 'completed' && run.model === null && !clipsChanged && (
          <p className="text-muted [@media(max-height:799px)]:truncate" title={text.noModelUsed}>
            {text.noModelUsed}
          </p>
        )}
      </div>
    </div>
  )
}

// Summary names the settings in one line. A click shows the controls.
function Summary({ settings, open }: { settings: AnalysisSettings; open: boolean }) {
  const { previewing } = useEdits()
  return (
    <button
      type="button"
      aria-expanded={open}
      className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left text-xs hover:bg-hover phone:h-10"
      onClick={() => useEditorStore.getState().set({ adjusting: !open })}
    >
      <SlidersHorizontal size={14} className="shrink-0 text-muted" aria-hidden />
      <span className={`min-w-0 truncate font-medium ${previewing ? 'text-accent' : ''}`}>
        {text.settingsLine(settings.pacing, settings.falseStarts)}
      </span>
      <ChevronDown size={14} className={`shrink-0 text-muted ${open ? 'rotate-180' : ''}`} aria-hidden />
    </button>
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
        <h2 className="sr-only">{text.moreChoices(0)}</h2>
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
