import { useEffect, useEffectEvent, useLayoutEffect } from 'react'
import { useShorts } from '../state/contexts'
import { settingsOfShort, useExportOptions } from '../state/exportOptions'
import { useEditorStore } from '../state/store'
import { useShownShort } from '../state/useShownShort'
import { SAVE_MS } from './useProjectOptions'

/** Shows the options of the shown short, and saves them after a change and when the short is left. */
export function useShortOptions(): void {
  const short = useShownShort()
  const { restyle } = useShorts()
  const { options, restyled } = useExportOptions()
  const inDialog = useEditorStore((s) => s.exportedShort !== undefined)
  const uuid = short?.uuid
  const save = () => {
    const { options, restyled } = useExportOptions.getState()
    useExportOptions.setState({ restyled: false })
    if (short && restyled) restyle(short, settingsOfShort(options))
  }

  const enter = useEffectEvent(() => {
    const { showShort } = useExportOptions.getState()
    showShort(short)
    return () => {
      save()
      showShort(null)
    }
  })

  const stored = JSON.stringify(short?.export_settings)
  useLayoutEffect(() => enter(), [uuid, stored])
  const saveLater = useEffectEvent(() => {
    const timer = window.setTimeout(save, SAVE_MS)
    return () => window.clearTimeout(timer)
  })

  // The dialog makes one change of all that it changes.
  useEffect(() => (restyled && !inDialog ? saveLater() : undefined), [options, restyled, inDialog])
}
