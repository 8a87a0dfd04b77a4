import { expect, test } from 'vitest'
import type { PlannedEdit } from '../../api/analysis'
import type { Edit } from '../../api/edits'
import { newCut } from './cuts'
import { isPlanned, mergePlanned } from './plannedEdits'

const found = (start_ms: number, uuid: string | null = null): PlannedEdit => ({
  uuid,
  run_uuid: 'r',
  type: 'silence',
  start_ms,
  end_ms: start_ms + 500,
  active: true,
  reason: '',
  confidence: 0.9,
  action: 'cut',
  take_group: null,
  take_number: null,
  created_at: null,
  updated_at: null,
})

test('planned cuts replace proposed cuts and keep manual cuts', () => {
  const manual = newCut(7000, 8000, 'boring')
  const before: Edit = { ...newCut(100, 200, ''), type: 'silence' }
  const shown = mergePlanned([found(0), found(1000, 'stored')], [before, manual])
  expect(shown.map((e) => [e.type, e.start_ms])).toEqual([
    ['silence', 0],
    ['silence', 1000],
    ['manual', 7000],
  ])

  expect(shown.map(isPlanned)).toEqual([true, false, false])
})

test('a planned cut has the same UUID in every request', () => {
  expect(mergePlanned([found(0)], [])[0]!.uuid).toBe(mergePlanned([found(0)], [])[0]!.uuid)
})
