import { settingsText } from '../../text/settings'
import { Page } from './Page'
import { AnalysisPresets } from './AnalysisPresets'
import { Director } from './Director'
import { PreviewPresets } from './PreviewPresets'

/** The presets page: presets for analyses and previews, and the AI Director. */
export function Presets() {
  return (
    <Page title={settingsText.pages.presets}>
      <AnalysisPresets />
      <Director />
      <PreviewPresets />
    </Page>
  )
}
