import { settingsText } from '../../text/settings'
import { Page } from './Page'
import { AnalysisPresets } from './AnalysisPresets'
import { CutDefaults } from './CutDefaults'
import { Director } from './Director'
import { PreviewPresets } from './PreviewPresets'

/** The presets page: presets for analyses and previews, and learned defaults. */
export function Presets() {
  return (
    <Page title={settingsText.pages.presets}>
      <AnalysisPresets />
      <CutDefaults />
      <Director />
      <PreviewPresets />
    </Page>
  )
}
