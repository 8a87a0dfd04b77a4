import { expect, it } from 'vitest'
import { newCut } from '../edits/cuts'
import { applyDraft, overridesOf } from './drafts'

const server = (uuid: string) => `server-${uuid}`
const cut = (uuid: string, start: number, active = true) => ({ ...newCut(start, start + 100, '', { active }), uuid })

it('applying a draft restores its edits and switches newer edits off', () => {
  const then = [cut('a', 0), cut('b', 500, false), cut('c', 900)]
  const overrides = overridesOf(then, server)
  expect(overrides['server-b']).toEqual({ active: false, action: 'cut', start_ms: 500, end_ms: 600 })
  const now = [{ ...cut('a', 20), active: false }, cut('b', 500, false), cut('d', 2000), cut('e', 3000, false)]
  const { action: act, newer, missing: gone } = applyDraft(overrides, now, server)
  expect(act.change).toEqual([
    { uuid: 'a', to: { active: true, action: 'cut', start_ms: 0, end_ms: 100 } },
    { uuid: 'b', to: { active: false, action: 'cut', start_ms: 500, end_ms: 600 } },
    { uuid: 'd', to: { active: false } },
  ])

  expect([newer, gone]).toEqual([1, 1])
})
