import { expect, test } from 'vitest'
import { linksIn } from './links'

test('links with a query string are found once, without trailing punctuation', () => {
  const text =
    'Open http://h:1/verify-email?token=a.b-c_d. Or http://h:1/verify-email?token=a.b-c_d, or the page http://h:1/ itself (http://h:1/x?y=1).'

  expect(linksIn(text)).toEqual(['http://h:1/verify-email?token=a.b-c_d', 'http://h:1/x?y=1'])
  expect(linksIn('nothing')).toEqual([])
})
