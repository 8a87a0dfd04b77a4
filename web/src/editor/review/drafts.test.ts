import { expect, it } from 'vitest'
import { newCut } from '../edits/cuts'
import { overridesOf } from './drafts'

it('a draft names edits as the server does', () => {
  const cut = { ...newCut(500, 600, '', { active: false }), uuid: 'b' }
  expect(overridesOf([cut], (uuid) => `server-${uuid}`)).toEqual({
    'server-b': { active: false, action: 'cut', start_ms: 500, end_ms: 600 },
  })
})
