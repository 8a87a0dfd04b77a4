import { useSyncExternalStore } from 'react'

export type Theme = 'dark' | 'light'

/** What the person chose: a theme, or to follow the system. */
export type ThemeChoice = Theme | 'system'

const KEY = 'roughcut.theme'
const system = () => window.matchMedia('(prefers-color-scheme: light)')
const listeners = new Set<() => void>()

/** The theme that is shown: the person's choice, else the system's. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'dark' || chosen === 'light') return chosen
  return system().matches ? 'light' : 'dark'
}

export function themeChoice(): ThemeChoice {
  const chosen = document.documentElement.dataset['theme']
  return chosen === 'dark' || chosen === 'light' ? chosen : 'system'
}

/** Chooses a theme, or follows the system. */
export function chooseTheme(choice: ThemeChoice): void {
  const follows = choice === 'system'
  if (follows) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = choice
  try {
    if (follows) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, choice)
  } catch {
    // Storage is blocked: the choice holds until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Switches to the other theme; the one that the system has is followed from then on. */
export function switchTheme(): void {
  const other = currentTheme() === 'dark' ? 'light' : 'dark'
  chooseTheme(other === (system().matches ? 'light' : 'dark') ? 'system' : other)
}

function subscribe(listener: () => void): () => void {
  const media = system()
  listeners.add(listener)
  media.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    media.removeEventListener('change', listener)
  }
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice)
