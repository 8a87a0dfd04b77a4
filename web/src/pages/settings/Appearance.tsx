import { Monitor, Moon, Sun } from 'lucide-react'
import { Choice } from '../../ui/Choice'
import { Section } from '../../ui/Section'
import { chooseTheme, useThemeChoice } from '../../ui/theme'
import { Page } from './Page'

const THEMES = [
  {
    value: 'system',
    label: (
      <>
        <Monitor size={14} aria-hidden /> As the system
      </>
    ),
  },
  {
    value: 'dark',
    label: (
      <>
        <Moon size={14} aria-hidden /> Dark
      </>
    ),
  },
  {
    value: 'light',
    label: (
      <>
        <Sun size={14} aria-hidden /> Light
      </>
    ),
  },
] as const

/** How it looks in this browser. */
export function Appearance() {
  const choice = useThemeChoice()
  return (
    <Page title="Appearance">
      <Section
        title="Theme"
        description="Kept in this browser alone. A dark room around the picture makes it the brightest thing to look at."
      >
        <div className="max-w-md">
          <Choice label="Colours" value={choice} options={THEMES} onChange={chooseTheme} />
        </div>
      </Section>
      <Section
        title="Motion"
        description="Nothing moves for longer than a blink. Where your system asks for reduced motion, nothing moves at all."
      >
        <p className="text-sm text-muted">
          {window.matchMedia('(prefers-reduced-motion: reduce)').matches
            ? 'Your system asks for reduced motion, and it is respected.'
            : 'Your system does not ask for reduced motion. Turn it on in its accessibility settings.'}
        </p>
      </Section>
    </Page>
  )
}
