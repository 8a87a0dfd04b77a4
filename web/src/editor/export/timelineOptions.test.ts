import { expect, test } from 'vitest'
import { optionsOf, parseTimelineOptions, withOptions } from './timelineOptions'

const options = { cuts: 'disabled', mediaFolder: '/a', fcpxmlVersion: '1.9' } as const

test('the media folder is kept for each project', () => {
  let stored = parseTimelineOptions(null)
  expect(optionsOf(stored, 'one')).toEqual({ cuts: 'removed', mediaFolder: '', fcpxmlVersion: '1.10' })
  stored = withOptions(stored, 'one', options)
  stored = withOptions(stored, 'two', { ...options, mediaFolder: '/b' })
  stored = parseTimelineOptions(JSON.stringify(stored))
  expect(optionsOf(stored, 'one').mediaFolder).toBe('/a')
  expect(optionsOf(stored, 'two')).toEqual({ ...options, mediaFolder: '/b' })
  expect(optionsOf(stored, 'three').mediaFolder).toBe('/b')
})

test('only the last hundred projects are kept', () => {
  let stored = parseTimelineOptions(null)
  for (let i = 0; i < 150; i++) stored = withOptions(stored, `p${i}`, options)
  expect(stored.folders).toHaveLength(100)
})

test.each(['', 'no json', 'null', '[]', '{"cuts":3,"version":"9","folders":[1,["a"],["a",2]]}'])(
  'unknown values are replaced by the defaults: %s',
  (text) => expect(parseTimelineOptions(text)).toEqual({ cuts: 'removed', version: '1.10', folders: [] }),
)
