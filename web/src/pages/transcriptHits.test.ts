import { expect, test } from 'vitest'
import type { Hit } from '../api/projects'
import { byProject, partsOf } from './transcriptHits'

const hit = (project: string | null, start_ms: number): Hit => ({
  kind: 'transcript',
  score: 1,
  fragment: '',
  project_uuid: project,
  project_name: `name of ${project}`,
  clip_uuid: 'c',
  start_ms,
  end_ms: start_ms + 1,
  asset_uuid: null,
  display_name: null,
})

test('projects are in the order of their best hits, the hits of a project in chronological order', () => {
  const found = byProject([hit('b', 900), hit('a', 5), hit('b', 100), hit(null, 1)])
  expect(found.map((f) => [f.project, f.name, f.hits.map((h) => h.start_ms)])).toEqual([
    ['b', 'name of b', [100, 900]],
    ['a', 'name of a', [5]],
  ])
})

test('fragments are text and never HTML', () => {
  expect(partsOf('a &lt;b&gt; <mark>brave</mark> &amp;amp; <mark>new</mark>')).toEqual([
    { text: 'a <b> ', marked: false },
    { text: 'brave', marked: true },
    { text: ' &amp; ', marked: false },
    { text: 'new', marked: true },
  ])
})
