import { useState } from 'react'
import type { AnalysisSettings } from '../../api/analysis'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { useAnalyze } from './useAnalyze'

interface AnalyzeAgainProps {
  settings: AnalysisSettings
  label?: string
  quiet?: boolean
}

/** A button that analyzes the project again after a question. */
export function AnalyzeAgain({ settings, label = text.findAgain, quiet = false }: AnalyzeAgainProps) {
  const [asking, setAsking] = useState(false)
  const { start, busy } = useAnalyze()
  return (
    <>
      <Button
        size="sm"
        {...(quiet ? { variant: 'quiet', className: '!h-6' } : {})}
        disabled={busy}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={text.findAgainTitle}
        yes={text.findCuts}
        harmless
        onConfirm={() => {
          setAsking(false)
          start(settings)
        }}
      >
        {text.findAgainDetail}
      </Confirm>
    </>
  )
}
