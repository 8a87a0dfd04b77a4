import type { AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { useEditorStore } from '../state/store'
import { useAnalyze } from './useAnalyze'

interface AnalyzeAgainProps {
  settings: AnalysisSettings
  label?: string
  quiet?: boolean
}

/** A button that asks whether to analyze the project again. */
export function AnalyzeAgain({ settings, label = text.findAgain, quiet = false }: AnalyzeAgainProps) {
  const { busy } = useAnalyze()
  return (
    <Button
      size="sm"
      {...(quiet ? { variant: 'quiet', className: 'h-6 px-1' } : {})}
      disabled={busy}
      onClick={() => useEditorStore.getState().set({ again: settings })}
    >
      {label}
    </Button>
  )
}

/** Asks before another analysis, and starts it. */
export function AnalyzeAgainDialog() {
  const { again, set } = useEditorStore()
  const { start } = useAnalyze()
  const close = () => set({ again: null })
  return (
    <Confirm
      open={again !== null}
      onOpenChange={close}
      title={text.findAgainTitle}
      yes={text.findCuts}
      harmless
      onConfirm={() => {
        if (again) start(again)
        close()
      }}
    >
      {text.findAgainDetail}
    </Confirm>
  )
}
