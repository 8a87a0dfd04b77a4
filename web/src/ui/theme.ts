import { useSyncExternalStore } from 'react'
import { changeSetting, onSetting, setting } from '../api/settings'

export type Theme = 'dark' | 'light'

/** The user's choice: a theme, or the system's theme. */
export type ThemeChoice = Theme | 'system'

const lightPreference = () => window.matchMedia('(prefers-color-scheme: light)')
const listeners = new Set<() => void>()

/** The current theme: the user's choice or the system's theme. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'dark' || chosen === 'light') return chosen
  return lightPreference().matches ? 'light' : 'dark'
}

export function themeChoice(): ThemeChoice {
  const chosen = document.documentElement.dataset['theme']
  return chosen === 'dark' || chosen === 'light' ? chosen : 'system'
}

/** Stores the choice in the account and applies it. */
export const chooseTheme = (choice: ThemeChoice): void => changeSetting('theme', choice === 'system' ? null : choice)

// theme.js has applied the stored choice before the first paint.
onSetting('theme', () => {
  const choice = setting('theme')
  if (choice === 'dark' || choice === 'light') document.documentElement.dataset['theme'] = choice
  else delete document.documentElement.dataset['theme']
  for (const listener of listeners) listener()
})

/** Switches to the other theme. If that is the system's theme, later changes of the system's theme apply. */
export function switchTheme(): void {
  const other = currentTheme() === 'dark' ? 'light' : 'dark'
  chooseTheme(other === (lightPreference().matches ? 'light' : 'dark') ? 'system' : other)
}

function subscribe(listener: () => void): () => void {
  const media = lightPreference()
  listeners.add(listener)
  media.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    media.removeEventListener('change', listener)
  }
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice)
