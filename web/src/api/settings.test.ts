import { beforeEach, expect, it, vi } from 'vitest'
import type * as Settings from './settings'
import { browserStorage } from './storage'

let settings: typeof Settings
let stored: Record<string, unknown>

// A fresh page with the same browser storage.
async function load(): Promise<void> {
  vi.resetModules()
  settings = await import('./settings')
}

const requests = {
  load: () => Promise.resolve(stored),
  save: (change: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(change))
      if (value === null) delete stored[name]
      else stored[name] = value

    return Promise.resolve()
  },
}

const offline = { load: () => Promise.reject(new Error()), save: () => Promise.reject(new Error()) }

beforeEach(async () => {
  vi.useFakeTimers()
  const values = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  })

  stored = {}
  await load()
})

it('takes over once what the browser holds, unless the account has a value', async () => {
  browserStorage.setItem('roughcut.theme', 'light')
  browserStorage.setItem('roughcut.keys', '{"play":["K"]}')
  stored = { theme: 'dark' }
  await settings.takeSettings('ada', requests)
  expect(stored).toEqual({ theme: 'dark', keys: { play: ['K'] } })
  expect(settings.setting('theme')).toBe('dark')
  stored = { theme: 'light' }
  await load()
  await settings.takeSettings('ada', requests)
  expect(stored).toEqual({ theme: 'light' })
  expect(settings.setting('keys')).toBeNull()
})

it('saves a change to the account after a moment', async () => {
  await settings.takeSettings('ada', requests)
  settings.changeSetting('theme', 'dark')
  settings.changeSetting('analysis', '{"pacing":70}')
  expect(stored).toEqual({})
  await vi.advanceTimersByTimeAsync(500)
  expect(stored).toEqual({ theme: 'dark', analysis: { pacing: 70 } })
  settings.changeSetting('theme', null)
  await vi.advanceTimersByTimeAsync(500)
  expect(stored).toEqual({ analysis: { pacing: 70 } })
})

it('keeps a change that cannot be saved, and saves it at the next visit', async () => {
  await settings.takeSettings('ada', { ...requests, save: offline.save })
  settings.changeSetting('theme', 'dark')
  await vi.advanceTimersByTimeAsync(500)
  await load()
  await settings.takeSettings('ada', offline)
  expect(settings.setting('theme')).toBe('dark')
  stored = { theme: 'light', 'projects.sort': 'name' }
  await settings.takeSettings('ada', requests)
  expect(stored).toEqual({ theme: 'dark', 'projects.sort': 'name' })
  expect(settings.setting('projects.sort')).toBe('name')
})

it('leaves nothing of one account to another', async () => {
  await settings.takeSettings('ada', requests)
  settings.changeSetting('theme', 'dark')
  settings.leaveSettings()
  await vi.advanceTimersByTimeAsync(500)
  expect(stored).toEqual({})
  const seen = vi.fn()
  settings.onSetting('theme', seen)
  await settings.takeSettings('eve', requests)
  expect(stored).toEqual({})
  expect(settings.setting('theme')).toBeNull()
  expect(seen).toHaveBeenCalledOnce()
})
