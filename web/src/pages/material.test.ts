import { expect, it } from 'vitest'
import { namesOf, oneByOne } from './material'

const named = (...names: string[]) => namesOf(oneByOne({ files: names.map((name) => new File([], name)) }), 'Untitled')

it('names projects after their files and numbers equal names', () => {
  expect(named('autumn_talk.mp4', 'winter.mov')).toEqual(['autumn talk', 'winter'])
  expect(named('talk.mp4', 'talk.mov', 'talk 2.mp4', 'talk.mp4')).toEqual(['talk', 'talk 3', 'talk 2', 'talk 4'])
  expect(named('.mp4', '_.mp4')).toEqual(['Untitled', 'Untitled 2'])
})

it('shortens long names that get a number', () => {
  const long = 'x'.repeat(200)
  expect(named(`${long}.mp4`, `${long}.mov`)).toEqual([long, `${'x'.repeat(198)} 2`])
})

it('names projects after linked files, one for each', () => {
  const materials = oneByOne({ files: [], paths: ['/camera 1/take.mp4', 'C:\\camera 2\\take.mp4'] })
  expect(namesOf(materials, 'Untitled')).toEqual(['take', 'take 2'])
  expect(materials.map((m) => m.paths)).toEqual([['/camera 1/take.mp4'], ['C:\\camera 2\\take.mp4']])
})
