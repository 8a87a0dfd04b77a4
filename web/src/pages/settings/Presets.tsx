import { settingsText } from '../../text/settings'
import { Page } from './Page'
import { AnalysisPresets } from './AnalysisPresets'
import { PreviewPresets } from './PreviewPresets'

/** The presets page: presets for analyses and previews. */
export function Presets() {
  return (
    <Page title={settingsText.pages.presets}>
      <AnalysisPresets />
      <PreviewPresets />
    </Page>
  )
}
