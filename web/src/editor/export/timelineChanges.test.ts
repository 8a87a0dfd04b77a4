import { expect, test } from 'vitest'
import { actionOf, orderOf } from './timelineChanges'

test('changes of a timeline become one action', () => {
  const action = actionOf(
    [
      { kind: 'add', edit_uuid: null, start_ms: 1, end_ms: 2, clip_uuids: [] },
      { kind: 'move', edit_uuid: 'a', start_ms: 3, end_ms: 4, clip_uuids: [] },
      { kind: 'restore', edit_uuid: 'b', start_ms: 5, end_ms: 6, clip_uuids: [] },
      { kind: 'apply', edit_uuid: 'c', start_ms: 7, end_ms: 8, clip_uuids: [] },
    ],
    'reason',
    (uuid) => `local-${uuid}`,
  )
  expect(action.create).toMatchObject([{ type: 'manual', start_ms: 1, end_ms: 2, active: true, reason: 'reason' }])
  expect(action.change).toEqual([
    { uuid: 'local-a', to: { active: true, start_ms: 3, end_ms: 4 } },
    { uuid: 'local-b', to: { active: false } },
    { uuid: 'local-c', to: { active: true, start_ms: 7, end_ms: 8 } },
  ])
})

test('clips that are not ready keep their place in a new order', () => {
  expect(orderOf(['a', 'uploading', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['c', 'uploading', 'a', 'b'])
})
