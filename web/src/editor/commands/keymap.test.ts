import { describe, expect, it, vi } from 'vitest'
import { COMMAND_GROUPS, COMMAND_NAMES, COMMANDS } from './commands'
import { assignKey, changesOf, commandOf, DEFAULT_KEYS, keyLabel, keymapOf, keyOf, keysOf, removeKey } from './keymap'

// These load the API client, which needs a page.
vi.mock('./stillAction', () => ({ saveStill: vi.fn() }))
vi.mock('./shortActions', () => ({ makeShort: vi.fn(), exportShorts: vi.fn(), selectedShort: vi.fn() }))

const press = (key: string, more: Partial<Parameters<typeof keyOf>[0]> = {}) =>
  keyOf({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more })

describe('a pressed key', () => {
  it('is named with its modifiers', () => {
    expect(press('z', { ctrlKey: true })).toBe('Ctrl+Z')
    expect(press('Z', { metaKey: true, shiftKey: true })).toBe('Ctrl+Shift+Z')
    expect(press(' ')).toBe('Space')
    expect(press('ArrowLeft', { shiftKey: true })).toBe('Shift+ArrowLeft')
    expect(press('X')).toBe('X')
  })

  it('is named by its symbol if the symbol needs Shift', () => {
    expect(press('?', { shiftKey: true })).toBe('?')
    expect(press('+', { shiftKey: true })).toBe('+')
  })

  it('is named by its Latin letter on other keyboard layouts', () =>
    expect(press('я', { code: 'KeyZ', ctrlKey: true })).toBe('Ctrl+Z'))

  it('has a second name with the digit on keyboards where Shift and a digit type a symbol', () => {
    const keys = (key: string, code: string, shiftKey = true) =>
      keysOf({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey })

    expect(keys('!', 'Digit1')).toEqual(['!', 'Shift+1'])
    expect(keys('+', 'Digit1')).toEqual(['+', 'Shift+1'])
    expect(keys('2', 'Digit2', false)).toEqual(['2'])
    expect(keys('2', 'Digit2')).toEqual(['2'])
  })

  it('has no name while only modifiers are pressed', () => expect(press('Shift', { shiftKey: true })).toBeNull())
  it('has a readable label', () =>
    expect(['Ctrl+Shift+Z', 'Shift+ArrowLeft', '+', 'Ctrl++', '-'].map(keyLabel)).toEqual([
      'Ctrl Shift Z',
      'Shift ←',
      '+',
      'Ctrl +',
      '−',
    ]))
})

describe('the command table', () => {
  it('assigns each default shortcut to one command', () => {
    const keys = COMMAND_NAMES.flatMap((name) => COMMANDS[name].keys)
    expect(new Set<string>(keys).size).toBe(keys.length)
  })

  it('lists every command in one group', () =>
    expect(COMMAND_GROUPS.flatMap((g) => g.commands).toSorted()).toEqual(COMMAND_NAMES.toSorted()))

  it('keeps the names that stored keymaps contain', () =>
    expect(COMMAND_NAMES.join(' ')).toBe(
      'play forward backward frameBack frameOn secondBack secondOn start end skip fullscreen previous next toggle take reject ' +
        'before after chooseTake playTake markIn markOut delete restore mute split chapter note short correct startHere endHere nudgeBack nudgeOn unmark ' +
        'captionPrevious captionNext captionAdd captionSplit captionMerge captionDelete captionStart captionEnd captionSpeaker captionFind ' +
        'undo redo save find replace zoomIn zoomOut zoomAll export exportShorts timelines still stillJpeg help',
    ))
})

describe('the keymap', () => {
  it('names the command that has a shortcut, and moves the shortcut', () => {
    expect(commandOf(DEFAULT_KEYS, 'S', 'undo')).toBe('split')
    expect(COMMANDS.split.label).toBe('Split at playhead')
    const map = assignKey(DEFAULT_KEYS, 'undo', 'S')
    expect([map.split, map.undo]).toEqual([['Ctrl+B'], ['Ctrl+Z', 'S']])
    expect(removeKey(map, 'undo', 'Ctrl+Z').undo).toEqual(['S'])
  })

  it('stores only what differs from the default', () => {
    const map = assignKey(DEFAULT_KEYS, 'undo', 'G')
    expect(changesOf(map)).toBe('{"undo":["Ctrl+Z","G"]}')
    expect(keymapOf(changesOf(map))).toEqual(map)
    expect(changesOf(DEFAULT_KEYS)).toBeNull()
  })

  it('ignores stored values that it cannot read', () => {
    for (const stored of ['{', '7', '{"undo":3,"nonesuch":["A"]}', null]) expect(keymapOf(stored)).toEqual(DEFAULT_KEYS)
  })
})
