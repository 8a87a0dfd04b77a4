import { expect, test, vi } from 'vitest'

vi.mock('../api/assets', () => ({ assetURLQuery: vi.fn() }))
const { peaksOf } = await import('./usePeaks')

test('each bar is the loudest sample of its part relative to the loudest of all', () => {
  expect(peaksOf(new Float32Array([0.1, -0.4, 0.2, 0, 0, 0.1]), 3)).toEqual(
    [1, 0.5, 0.25].map((v) => expect.closeTo(v, 5) as number),
  )

  expect(peaksOf(new Float32Array(10), 2)).toEqual([0, 0])
  expect(peaksOf(new Float32Array([0.5]), 2)).toEqual([0, 1])
})
