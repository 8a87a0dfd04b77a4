// The settings of the account. The browser keeps a copy, so that pages start with them, and takes them from the account when
// a person is signed in.

import { useSyncExternalStore } from 'react'
import { browserStorage } from './storage'

/** The settings, with the local storage key of their copy. */
const KEYS = {
  theme: 'roughcut.theme',
  keys: 'roughcut.keys',
  analysis: 'roughcut.analysis',
  export: 'roughcut.export',
  timelines: 'roughcut.timelines',
  'projects.sort': 'roughcut.projects.sort',
  hints: 'roughcut.hints',
  'projects.several': 'roughcut.projects.several',
} as const

export type SettingName = keyof typeof KEYS

const NAMES = Object.keys(KEYS) as SettingName[]

/** Local storage key of the account that the copy is of. */
const ACCOUNT_KEY = 'roughcut.account'

/** How long after the last change the settings are saved, in milliseconds. */
const SAVE_MS = 400

/** The requests for the settings of the signed-in account. */
export interface SettingRequests {
  load: () => Promise<Record<string, unknown>>
  save: (change: Record<string, unknown>) => Promise<unknown>
}

interface Copy {
  /** The account; null before the first one. */
  user: string | null
  /** Changed settings that the account does not have yet. */
  unsaved: SettingName[]
}

const listeners = new Set<(name: SettingName) => void>()
let account: SettingRequests | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** The stored text of a setting; null if it has its default. */
export const setting = (name: SettingName): string | null => browserStorage.getItem(KEYS[name])

/** Changes a setting here and in the account; null restores the default. Without a connection, the next visit saves it. */
export function changeSetting(name: SettingName, text: string | null): void {
  if (text === setting(name)) return
  const { user, unsaved } = readCopy()
  writeCopy({ user, unsaved: [...unsaved.filter((n) => n !== name), name] })
  put(name, text)
  clearTimeout(timer)
  timer = setTimeout(() => void save(), SAVE_MS)
}

/** Saves changed settings now, before the window closes: with another address, it has no copy of them at the next start. */
export function flushSettings(): Promise<void> {
  clearTimeout(timer)
  return save()
}

/** Calls the listener when a setting changes, and returns a function that stops this. */
export function onSetting(name: SettingName, listener: () => void): () => void {
  const listen = (changed: SettingName) => {
    if (changed === name) listener()
  }

  listeners.add(listen)
  return () => listeners.delete(listen)
}

/** The stored text of a setting. */
export const useSetting = (name: SettingName): string | null =>
  useSyncExternalStore(
    (listener) => onSetting(name, listener),
    () => setting(name),
  )

/**
 * Takes the settings of an account into this browser. Unsaved changes of the same account go to the account, as does what
 * the browser held before its first account. What another account left is dropped.
 */
export async function takeSettings(user: string, requests: SettingRequests): Promise<void> {
  account = null
  let values: Record<string, unknown>
  try {
    values = await requests.load()
  } catch {
    return // the copy stays
  }

  const before = readCopy()
  const unsaved = NAMES.filter(
    (name) =>
      (before.user === user && before.unsaved.includes(name)) ||
      (before.user === null && !(name in values) && setting(name) !== null),
  )

  writeCopy({ user, unsaved })
  for (const name of NAMES) if (!unsaved.includes(name)) put(name, textOf(values[name]))
  account = requests
  await save()
}

/** Stops saving to the account, after its session ended. */
export function leaveSettings(): void {
  account = null
}

// save sends the unsaved settings to the account. They stay unsaved if it fails.
async function save(): Promise<void> {
  const requests = account
  const { unsaved } = readCopy()
  if (!requests || unsaved.length === 0) return
  const sent = new Map(unsaved.map((name) => [name, setting(name)]))
  try {
    await requests.save(Object.fromEntries([...sent].map(([name, text]) => [name, valueOf(text)])))
  } catch {
    return // the next change or visit saves them
  }

  const { user, unsaved: left } = readCopy()
  if (account === requests) writeCopy({ user, unsaved: left.filter((name) => sent.get(name) !== setting(name)) })
}

function put(name: SettingName, text: string | null): void {
  if (text === setting(name)) return
  if (text === null) browserStorage.removeItem(KEYS[name])
  else browserStorage.setItem(KEYS[name], text)
  for (const listener of [...listeners]) listener(name)
}

function readCopy(): Copy {
  try {
    const { user, unsaved } = JSON.parse(browserStorage.getItem(ACCOUNT_KEY) ?? '{}') as Record<string, unknown>
    return {
      user: typeof user === 'string' ? user : null,
      unsaved: Array.isArray(unsaved) ? NAMES.filter((name) => unsaved.includes(name)) : [],
    }
  } catch {
    return { user: null, unsaved: [] }
  }
}

const writeCopy = (copy: Copy) => browserStorage.setItem(ACCOUNT_KEY, JSON.stringify(copy))

// The account has JSON values: text that is JSON is stored as its value, other text as it is.
function valueOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return text
  }
}

const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)
