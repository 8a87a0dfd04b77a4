import { Monitor, Moon, Sun } from 'lucide-react'
import { appearanceText } from '../../text/appearance'
import { settingsText } from '../../text/settings'
import { Choice } from '../../ui/Choice'
import { Section } from '../../ui/Section'
import { chooseTheme, useThemeChoice } from '../../ui/theme'
import { Page } from './Page'

const THEMES = [
  {
    value: 'system',
    label: (
      <>
        <Monitor size={14} aria-hidden /> {appearanceText.system}
      </>
    ),
  },
  {
    value: 'dark',
    label: (
      <>
        <Moon size={14} aria-hidden /> {appearanceText.dark}
      </>
    ),
  },
  {
    value: 'light',
    label: (
      <>
        <Sun size={14} aria-hidden /> {appearanceText.light}
      </>
    ),
  },
] as const

/** The appearance page: theme and motion. */
export function Appearance() {
  const choice = useThemeChoice()
  return (
    <Page title={settingsText.pages.appearance}>
      <Section title={appearanceText.theme} description={appearanceText.themeHelp}>
        <div className="max-w-md">
          <Choice label={appearanceText.colors} value={choice} options={THEMES} onChange={chooseTheme} />
        </div>
      </Section>
      <Section title={appearanceText.motion} description={appearanceText.motionHelp}>
        <p className="text-sm text-muted">
          {window.matchMedia('(prefers-reduced-motion: reduce)').matches
            ? appearanceText.reduced
            : appearanceText.notReduced}
        </p>
      </Section>
    </Page>
  )
}
