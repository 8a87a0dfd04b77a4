import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS, lastSettings, pacingMeaning, pauseRule, timeLeft } from './analysisSettings'

it('pacing interpolates the pause rule geometrically', () => {
  expect(pauseRule(0)).toEqual({ cutOverMs: 2500, airMs: 400 })
  expect(pauseRule(100).cutOverMs).toBeCloseTo(150)
  expect(pauseRule(100).airMs).toBeCloseTo(40)
  expect(pauseRule(50).cutOverMs ** 2).toBeCloseTo(2500 * 150)
  expect(pacingMeaning(0)).toBe('Cuts pauses over 2.5 s, leaves 0.40 s on each side')
})

it('estimates the remaining time only when it is reliable', () => {
  expect(timeLeft(50, 60_000)).toBe(60_000)
  expect(timeLeft(2, 60_000)).toBeNull()
  expect(timeLeft(50, 1_000)).toBeNull()
})

it('settings of the last analysis survive a reload and a version with fewer settings', () => {
  const settings = { ...DEFAULT_SETTINGS, pacing: 80, language: 'de', cutFillers: true }
  expect(lastSettings(JSON.stringify(settings))).toEqual(settings)
  expect(lastSettings('{"pacing":70,"options":{"breaths":"keep"}}')).toEqual({
    ...DEFAULT_SETTINGS,
    pacing: 70,
    options: { ...DEFAULT_SETTINGS.options, breaths: 'keep' },
  })
  expect(lastSettings(null)).toBeNull()
  expect(lastSettings('{')).toBeNull()
})
