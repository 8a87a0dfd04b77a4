import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, it } from 'vitest'

/** The folders of the editor, from the ground up. A file imports from its own folder and those before it. */
const ROOMS = [
  'plan',
  'decks',
  'edits',
  'state',
  'commands',
  'trash',
  'clips',
  'assets',
  'player',
  'review',
  'suggestions',
  'timeline',
  'analysis',
  'export',
  'transcript',
  'captions',
  'shell',
]

it('imports point one way', () => {
  const editor = import.meta.dirname
  const files = readdirSync(editor, { recursive: true, encoding: 'utf8' }).filter(
    (f) => !f.includes('.test.') && /[\\/].*\.tsx?$/.test(f),
  )

  const back = files.flatMap((file) =>
    [...readFileSync(join(editor, file), 'utf8').matchAll(/from '(\.[^']+)'/g)]
      .map((m) => normalize(join(file, '..', m[1]!)))
      .filter((target) => !target.startsWith('..'))
      .filter((target) => roomOf(target) === -1 || roomOf(target) > roomOf(file))
      .map((target) => `${file} imports ${target}`),
  )

  expect(files.length).toBeGreaterThan(100)
  expect(back).toEqual([])
})

/** The place of the folder of a file; -1 for an unknown one. */
const roomOf = (file: string) => ROOMS.indexOf(file.split(/[\\/]/)[0]!)
