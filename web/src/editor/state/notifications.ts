// Notifications of the operating system about finished work. They are off until the person asks for them.

import { create } from 'zustand'
import { browserStorage } from '../../api/storage'

const STORAGE_KEY = 'roughcut.notifications'

/** Reports whether the browser can show notifications on this page. */
export const notificationsSupported = (): boolean => 'Notification' in window && window.isSecureContext

interface Notifications {
  state: 'on' | 'off' | 'blocked'
  /** Asks the browser for permission. Call it in response to a click only. */
  allow: () => Promise<void>
  stop: () => void
}

function initialState(): Notifications['state'] {
  if (!notificationsSupported()) return 'off'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && browserStorage.getItem(STORAGE_KEY) === 'on' ? 'on' : 'off'
}

export const useNotifications = create<Notifications>()((set) => ({
  state: initialState(),
  allow: async () => {
    const permission = await Notification.requestPermission()
    if (permission === 'granted') browserStorage.setItem(STORAGE_KEY, 'on')
    set({ state: permission === 'granted' ? 'on' : permission === 'denied' ? 'blocked' : 'off' })
  },
  stop: () => {
    browserStorage.setItem(STORAGE_KEY, 'off')
    set({ state: 'off' })
  },
}))

/** Shows a notification if the person asked for them and looks at something else. */
export function notify(title: string, body: string): void {
  if (useNotifications.getState().state !== 'on' || document.hasFocus()) return
  const shown = new Notification(title, { body, tag: `roughcut:${title}` })
  shown.onclick = () => {
    window.focus()
    shown.close()
  }
}
