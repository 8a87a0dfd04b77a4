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
  const half = { from: 0, progress: 50, since: 1_000, at: 61_000 }
  expect(timeLeft(half, 61_000)).toBe(60_000)
  expect(timeLeft({ ...half, progress: 2 }, 61_000)).toBeNull()
  expect(timeLeft({ ...half, at: 2_000 }, 2_000)).toBeNull()
  // A slow step after quick ones: only its own pace counts.
  expect(timeLeft({ from: 15, progress: 32, since: 0, at: 17_000 }, 17_000)).toBe(68_000)
})

it('counts down between two reports and never up', () => {
  const report = { from: 15, progress: 32, since: 0, at: 17_000 }
  expect(timeLeft(report, 27_000)).toBe(58_000)
  expect(timeLeft(report, 90_000)).toBeNull()
})

it('settings of the last analysis survive a reload and a version with fewer settings, without the language', () => {
  const settings = { ...DEFAULT_SETTINGS, pacing: 80, cutFillers: true }
  expect(lastSettings(JSON.stringify({ ...settings, language: 'de' }))).toEqual(settings)
  expect(lastSettings('{"pacing":70,"options":{"breaths":"keep","mute_kinds":["filler"]}}')).toEqual({
    ...DEFAULT_SETTINGS,
    pacing: 70,
    options: { ...DEFAULT_SETTINGS.options, breaths: 'keep', mute_kinds: ['filler'] },
  })
})

it.each([
  null,
  '{',
  '3',
  '{"pacing":"fast","falseStarts":101,"cutFillers":1,"options":{"breaths":"loud","exact_edges":"yes","mute_kinds":[3,"x"]}}',
])('invalid settings of the last analysis get their defaults: %s', (stored) =>
  expect(lastSettings(stored)).toEqual(DEFAULT_SETTINGS),
)
