import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from './analysisSettings'
import { againSettings, showsScreen, usedOptions, withUsedOptions } from './screens'

const kept = (settings = DEFAULT_SETTINGS, screen = true) => usedOptions(settings, screen).keep_demonstrations
const switched = (settings: typeof DEFAULT_SETTINGS, on: boolean) =>
  withUsedOptions(settings, { ...usedOptions(settings, true), keep_demonstrations: on }, true)

it('a recording of a screen keeps its demonstrations until a person switches that off', () => {
  expect(kept()).toBe(true)
  expect(kept(DEFAULT_SETTINGS, false)).toBe(false)
  const off = switched(DEFAULT_SETTINGS, false)
  expect(kept(off)).toBe(false)
  expect(kept(switched(off, true))).toBe(true)
})

it('another choice leaves what is kept, and the next project does not inherit it', () => {
  const breaths = withUsedOptions(DEFAULT_SETTINGS, { ...usedOptions(DEFAULT_SETTINGS, true), breaths: 'keep' }, true)
  expect(kept(breaths)).toBe(true)
  expect(breaths.options).toMatchObject({ breaths: 'keep', keep_demonstrations: false })
})

it('another analysis has what the run had', () => {
  const run = (keep: boolean) => ({
    ...DEFAULT_SETTINGS,
    options: { ...DEFAULT_SETTINGS.options, keep_demonstrations: keep },
  })

  for (const keep of [true, false]) {
    expect(kept(againSettings(run(keep), true))).toBe(keep)
    expect(kept(againSettings(run(keep), false), false)).toBe(keep)
  }

  expect(againSettings(run(true), true).options.keep_demonstrations).toBe(false)
})

it('a clip without a value shows no screen', () => {
  expect(showsScreen([{ screen: null }, { screen: false }])).toBe(false)
  expect(showsScreen([{ screen: null }, { screen: true }])).toBe(true)
})
