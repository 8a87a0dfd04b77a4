import { expect, it } from 'vitest'
import type { Take, TakeGroup } from '../../api/takes'
import { newCut } from './cuts'
import { reviewRows } from './stretches'
import { completionOf, editsByTake, groupOfRow, isKept, keepOnly, takeEditAt } from './takes'

const take = (number: number, more: Partial<Take> = {}): Take => ({
  number,
  start_ms: number * 1000,
  end_ms: number * 1000 + 800,
  text: '',
  complete: true,
  fluent: true,
  partial: false,
  level_db: -20,
  proposed: false,
  kept: false,
  edit_uuid: `edit-${number}`,
  reason: '',
  ...more,
})

const group: TakeGroup = {
  id: 'g',
  takes: [take(1, { partial: true }), take(2), take(3, { proposed: true, kept: true, edit_uuid: null })],
}

const edit = (number: number, active: boolean) => ({
  ...newCut(0, 1, '', { active }),
  take_group: 'g',
  take_number: number,
})

it('finds the group of a stretch', () => {
  const row = (...edits: Parameters<typeof reviewRows>[0]) => reviewRows(edits, [0])[0]
  expect(groupOfRow([group], row(newCut(0, 1, ''), edit(1, true)))).toBe(group)
  expect(groupOfRow([group], row(newCut(0, 1, '')))).toBeUndefined()
  expect(groupOfRow([group], undefined)).toBeUndefined()
})

it('a take is kept while its edit is inactive, and a muted take is not', () => {
  const edits = [edit(1, true), edit(2, false)]
  const kept = (list: typeof edits) => group.takes.map((t) => isKept(group, t, editsByTake(list)))
  expect(kept(edits)).toEqual([false, true, true])
  expect(kept([{ ...edit(1, true), action: 'mute' }])).toEqual([false, false, true])
})

it('a time in a group names an edit of the take there, or of the group', () => {
  expect([500, 1200, 1900, 2200, 3200, 3900].map((ms) => takeEditAt([group], ms))).toEqual([
    undefined,
    'edit-1',
    'edit-1',
    'edit-2',
    'edit-1',
    undefined,
  ])
})

it('keeping a take cuts the others', () => {
  const { change, create } = keepOnly(group, 2)
  expect(change).toEqual([
    { uuid: 'edit-1', to: { active: true } },
    { uuid: 'edit-2', to: { active: false } },
  ])

  expect(create).toMatchObject([{ take_group: 'g', take_number: 3, start_ms: 3000, end_ms: 3800, active: true }])
})

it('a partial take points at the take that completes its sentence', () => {
  expect(group.takes.map((t) => completionOf(group, t)?.number)).toEqual([2, undefined, undefined])
})
