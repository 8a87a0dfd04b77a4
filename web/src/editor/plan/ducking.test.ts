import { expect, it } from 'vitest'
import { mainGain, underVoiceGain, withoutShortPauses } from './ducking'

it('lowers the recording for an asset and raises it again', () => {
  const audible = [{ startMs: 1000, endMs: 2000, replace: false, duck: true }]
  expect(mainGain(500, audible)).toBe(1)
  expect(mainGain(1500, audible)).toBeCloseTo(0.251, 3)
  expect(mainGain(2200, audible)).toBeCloseTo(0.501, 3)
  expect(mainGain(1500, [{ ...audible[0]!, replace: true }])).toBe(0)
})

it('lowers an asset while someone speaks, and not in between', () => {
  const voice = withoutShortPauses([
    { startMs: 1000, endMs: 2000 },
    { startMs: 2900, endMs: 4000 },
    { startMs: 5100, endMs: 6000 },
  ])

  expect(voice).toEqual([
    { startMs: 1000, endMs: 4000 },
    { startMs: 5100, endMs: 6000 },
  ])

  expect(underVoiceGain(2500, voice)).toBeCloseTo(0.251, 3)
  expect(underVoiceGain(4500, voice)).toBe(1)
  expect(underVoiceGain(4200, voice)).toBeCloseTo(0.501, 3)
})
