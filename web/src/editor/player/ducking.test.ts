import { expect, it } from 'vitest'
import { mainGain } from './ducking'

it('lowers the recording for an asset and raises it again', () => {
  const audible = [{ startMs: 1000, endMs: 2000, replace: false, duck: true }]
  expect(mainGain(500, audible)).toBe(1)
  expect(mainGain(1500, audible)).toBeCloseTo(0.251, 3)
  expect(mainGain(2200, audible)).toBeCloseTo(0.501, 3)
  expect(mainGain(1500, [{ ...audible[0]!, replace: true }])).toBe(0)
})
