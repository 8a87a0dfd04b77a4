import { useSyncExternalStore } from 'react'

export type Theme = 'dark' | 'light'

const KEY = 'roughcut.theme'
const system = () => window.matchMedia('(prefers-color-scheme: light)')
const listeners = new Set<() => void>()

/** The theme that is shown: the person's choice, else the system's. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'dark' || chosen === 'light') return chosen
  return system().matches ? 'light' : 'dark'
}

/** Chooses a theme; choosing what the system has goes back to following it. */
export function chooseTheme(theme: Theme): void {
  const follows = theme === (system().matches ? 'light' : 'dark')
  if (follows) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (follows) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Storage is blocked: the choice holds until the page is closed.
  }
  for (const listener of listeners) listener()
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
