import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserStorage, tabStorage } from './storage'

afterEach(() => vi.unstubAllGlobals())

const refuses = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}

const broken = {
  'is null': { value: null },
  'throws when it is read': { get: refuses },
  'throws at each access': { value: { getItem: refuses, setItem: refuses, removeItem: refuses } },
}

describe.each(Object.entries(broken))('storage that %s', (_, property) => {
  it.each([
    ['localStorage', browserStorage],
    ['sessionStorage', tabStorage],
  ] as const)('keeps values of %s until the page is closed', (name, storage) => {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { ...property, configurable: true })
    try {
      expect(storage.getItem('sort')).toBe(null)
      storage.setItem('sort', 'name')
      expect(storage.getItem('sort')).toBe('name')
      storage.removeItem('sort')
      expect(storage.getItem('sort')).toBe(null)
    } finally {
      if (before) Object.defineProperty(globalThis, name, before)
      else Reflect.deleteProperty(globalThis, name)
    }
  })
})

it('reads and writes the storage of the browser', () => {
  const values = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  })

  browserStorage.setItem('sort', 'name')
  expect(values.get('sort')).toBe('name')
  expect(browserStorage.getItem('sort')).toBe('name')
  browserStorage.removeItem('sort')
  expect(values.size).toBe(0)
})
