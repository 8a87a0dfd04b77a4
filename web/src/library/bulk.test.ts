import { expect, test } from 'vitest'
import { forEach } from './bulk'

test('a failure does not stop the others, and at most four run at a time', async () => {
  let now = 0
  let most = 0
  const seen: number[] = []
  const outcome = await forEach([1, 2, 3, 4, 5, 6, 7, 8, 9], async (n) => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
    if (n % 4 === 0) throw new Error(`no ${n}`)
    seen.push(n)
  })

  expect(outcome).toEqual({ done: 7, failed: 2, reason: new Error('no 4') })
  expect(seen.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 7, 9])
  expect(most).toBe(4)
})
