import { describe, expect, it } from 'vitest'
import {
  changesOf,
  commandOf,
  COMMANDS,
  DEFAULT_KEYS,
  give,
  keymapOf,
  keyOf,
  meaningOf,
  take,
  keyLabel,
} from './keymap'

const press = (key: string, more: Partial<Parameters<typeof keyOf>[0]> = {}) =>
  keyOf({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more })

describe('a key', () => {
  it('is named with its modifiers', () => {
    expect(press('z', { ctrlKey: true })).toBe('Ctrl+Z')
    expect(press('Z', { metaKey: true, shiftKey: true })).toBe('Ctrl+Shift+Z')
    expect(press(' ')).toBe('Space')
    expect(press('ArrowLeft', { shiftKey: true })).toBe('Shift+ArrowLeft')
    expect(press('X')).toBe('X')
  })
  it('that needs shift for its sign is that sign', () => {
    expect(press('?', { shiftKey: true })).toBe('?')
    expect(press('+', { shiftKey: true })).toBe('+')
  })
  it('of another alphabet is the Latin one at its place', () =>
    expect(press('я', { code: 'KeyZ', ctrlKey: true })).toBe('Ctrl+Z'))
  it('is none while only modifiers are held', () => expect(press('Shift', { shiftKey: true })).toBeNull())
  it('is written for people', () =>
    expect(['Ctrl+Shift+Z', 'Shift+ArrowLeft', '+', 'Ctrl++', '-'].map(keyLabel)).toEqual([
      'Ctrl Shift Z',
      'Shift ←',
      '+',
      'Ctrl +',
      '−',
    ]))
})

describe('the keymap', () => {
  it('gives each key to one command at first', () => {
    const keys = Object.values(COMMANDS)
      .flat()
      .flatMap(([, , keys]) => keys)
    expect(new Set<string>(keys).size).toBe(keys.length)
  })
  it('reports what a key does already, and moves it', () => {
    expect(commandOf(DEFAULT_KEYS, 'S', 'undo')).toBe('split')
    expect(meaningOf('split')).toBe('Split at the playhead')
    const map = give(DEFAULT_KEYS, 'undo', 'S')
    expect([map.split, map.undo]).toEqual([['Ctrl+B'], ['Ctrl+Z', 'S']])
    expect(take(map, 'undo', 'Ctrl+Z').undo).toEqual(['S'])
  })
  it('keeps what was changed, and only that', () => {
    const map = give(DEFAULT_KEYS, 'undo', 'U')
    expect(changesOf(map)).toBe('{"undo":["Ctrl+Z","U"]}')
    expect(keymapOf(changesOf(map))).toEqual(map)
    expect(changesOf(DEFAULT_KEYS)).toBeNull()
  })
  it('survives what it cannot read', () => {
    for (const kept of ['{', '7', '{"undo":3,"nonesuch":["A"]}', null]) expect(keymapOf(kept)).toEqual(DEFAULT_KEYS)
  })
})
