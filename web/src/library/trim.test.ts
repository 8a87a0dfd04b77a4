import { expect, test } from 'vitest'
import {
  cutsInside,
  editOf,
  isWhole,
  durationOf,
  playableFrom,
  wholeOf,
  withCut,
  withCutBound,
  withEnd,
  withoutCut,
  withStart,
} from './trim'

const whole = wholeOf(10_000)

test('an untrimmed asset needs no edit', () => {
  expect(isWhole(whole, 10_000)).toBe(true)
  expect(editOf(whole, 10_000)).toEqual({})
  expect(durationOf(whole)).toBe(10_000)
})

test('start and end never cross and stay within the asset', () => {
  expect(withStart(whole, -5).startMs).toBe(0)
  expect(withStart(whole, 20_000).startMs).toBe(9_950)
  expect(withEnd(withStart(whole, 4_000), 1_000, 10_000).endMs).toBe(4_050)
  expect(withEnd(whole, 12_000, 10_000).endMs).toBe(10_000)
})

test('touching cuts merge; very short cuts are ignored', () => {
  let trim = withCut(whole, 3_000, 2_000, 10_000)
  expect(trim.cuts).toEqual([{ startMs: 2_000, endMs: 3_000 }])
  trim = withCut(trim, 6_000, 7_000, 10_000)
  trim = withCut(trim, 2_500, 6_000, 10_000)
  expect(trim.cuts).toEqual([{ startMs: 2_000, endMs: 7_000 }])
  expect(withCut(trim, 8_000, 8_040, 10_000)).toBe(trim)
  expect(withCut(trim, 9_000, 99_000, 10_000).cuts[1]).toEqual({ startMs: 9_000, endMs: 10_000 })
  expect(withoutCut(trim, 0)).toEqual(whole)
})

test('neighbors limit the bounds of a cut', () => {
  const trim = withCut(withCut(whole, 1_000, 2_000, 10_000), 4_000, 5_000, 10_000)
  expect(withCutBound(trim, 1, 'startMs', 0, 10_000).cuts[1]?.startMs).toBe(2_000)
  expect(withCutBound(trim, 0, 'endMs', 9_000, 10_000).cuts[0]?.endMs).toBe(4_000)
  expect(withCutBound(trim, 0, 'startMs', 5_000, 10_000).cuts[0]?.startMs).toBe(1_950)
  expect(withCutBound(trim, 5, 'startMs', 0, 10_000)).toBe(trim)
})

test('the edit request clips cuts to the range', () => {
  const trim = withEnd(
    withStart(withCut(withCut(whole, 500, 1_500, 10_000), 8_000, 9_000, 10_000), 1_000),
    6_000,
    10_000,
  )

  expect(cutsInside(trim)).toEqual([{ startMs: 1_000, endMs: 1_500 }])
  expect(durationOf(trim)).toBe(4_500)
  expect(editOf(trim, 10_000)).toEqual({ start_ms: 1_000, end_ms: 6_000, cuts: [{ start_ms: 1_000, end_ms: 1_500 }] })
})

test('playback skips cuts and stops at the end of the range', () => {
  const trim = withEnd(withStart(withCut(whole, 2_000, 3_000, 10_000), 1_000), 6_000, 10_000)
  expect(playableFrom(trim, 0)).toBe(1_000)
  expect(playableFrom(trim, 1_999)).toBe(1_999)
  expect(playableFrom(trim, 2_000)).toBe(3_000)
  expect(playableFrom(trim, 6_000)).toBeNull()
  expect(playableFrom(withCut(trim, 5_000, 7_000, 10_000), 5_500)).toBeNull()
})
