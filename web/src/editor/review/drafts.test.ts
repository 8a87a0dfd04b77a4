import { expect, it } from 'vitest'
import { newCut } from '../edits/cuts'
import { applying, choicesOf } from './drafts'

const server = (uuid: string) => `server-${uuid}`
const cut = (uuid: string, start: number, active = true) => ({ ...newCut(start, start + 100, '', active), uuid })

it('saved choices come back as they were, and what is newer is switched off', () => {
  const then = [cut('a', 0), cut('b', 500, false), cut('c', 900)]
  const choices = choicesOf(then, server)
  expect(choices['server-b']).toEqual({ active: false, start_ms: 500, end_ms: 600 })
  const now = [{ ...cut('a', 20), active: false }, cut('b', 500, false), cut('d', 2000), cut('e', 3000, false)]
  const { act, newer, gone } = applying(choices, now, server)
  expect(act.change).toEqual([
    { uuid: 'a', to: { active: true, start_ms: 0, end_ms: 100 } },
    { uuid: 'b', to: { active: false, start_ms: 500, end_ms: 600 } },
    { uuid: 'd', to: { active: false } },
  ])
  expect([newer, gone]).toEqual([1, 1])
})
