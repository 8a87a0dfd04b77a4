import { useSyncExternalStore } from 'react'

/** A timeline does not fit below this width. styles.css has the same limit. */
export const PHONE = '(width < 720px)'

/** The window height below which the editor saves lines, for a laptop with 768 px. */
export const LOW = '(max-height: 799px)'

/** Whether a media query matches the window. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => window.matchMedia(query).matches,
  )
}
