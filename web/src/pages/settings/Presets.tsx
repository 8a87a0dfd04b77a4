import { Page } from './Page'
import { AnalysisPresets } from './AnalysisPresets'
import { PreviewPresets } from './PreviewPresets'

/** Settings to be used again: of analyses, and of the preview. */
export function Presets() {
  return (
    <Page title="Presets">
      <AnalysisPresets />
      <PreviewPresets />
    </Page>
  )
}
