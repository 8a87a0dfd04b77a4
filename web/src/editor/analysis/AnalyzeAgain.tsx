import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AnalysisSettings } from '../../api/analysis'
import { modelInUse, modelsQuery } from '../../api/models'
import { presetsQuery, type Preset } from '../../api/presets'
import { commonText } from '../../text/common'
import { analysisText as text } from '../../text/editor/analysis'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Notice } from '../../ui/Notice'
import { againSettings, showsScreen } from '../edits/screens'
import { useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { ActiveModel, AnalysisFields } from './AnalysisFields'
import { languageName } from './languages'
import { useAnalyze } from './useAnalyze'

const NO_PRESETS: Preset[] = []

/** A button that asks whether to analyze the project again. */
export function AnalyzeAgain({ settings }: { settings: AnalysisSettings }) {
  const { busy } = useAnalyze()
  return (
    <Button size="sm" disabled={busy} onClick={() => useEditorStore.getState().set({ again: settings })}>
      {text.findAgain}
    </Button>
  )
}

/** Asks for the settings of another analysis, and starts it. */
export function AnalyzeAgainDialog() {
  const { again, set } = useEditorStore()
  const close = () => set({ again: null })
  return (
    <Dialog open={again !== null} onOpenChange={close} title={text.findAgainTitle} description={text.findAgainDetail}>
      {again && <Choices initial={again} close={close} />}
    </Dialog>
  )
}

function Choices({ initial, close }: { initial: AnalysisSettings; close: () => void }) {
  const { clips } = useProject()
  const [settings, setSettings] = useState(() => againSettings(initial, showsScreen(clips)))
  const { data: presets = NO_PRESETS } = useQuery(presetsQuery)
  const model = modelInUse(useQuery(modelsQuery).data ?? [])
  const { start, busy } = useAnalyze()
  const { language } = settings
  const unknown = model && !model.multilingual && language !== null && !/^en\b/i.test(language)
  return (
    <div className="flex flex-col gap-4">
      <AnalysisFields settings={settings} presets={presets} onChange={setSettings} />
      <ActiveModel />
      {unknown && (
        <Notice tone="danger" title={text.noSuchWords(languageName(language))}>
          {text.onlyEnglish(model.name)}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>{commonText.cancel}</Button>
        <Button
          variant="primary"
          disabled={busy}
          onClick={() => {
            start(settings)
            close()
          }}
        >
          {text.findCuts}
        </Button>
      </div>
    </div>
  )
}
