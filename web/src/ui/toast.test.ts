import { beforeEach, expect, test } from 'vitest'
import { dismiss, toast, useToasts } from './toast'

const told = () => useToasts.getState().list.map((t) => t.title)

beforeEach(() => useToasts.setState({ list: [] }))

test('the oldest messages make room for new ones', () => {
  for (const title of ['a', 'b', 'c', 'd']) toast(title)
  expect(told()).toEqual(['b', 'c', 'd'])
})

test('a message that comes again is shown once, as the newest', () => {
  toast.error('a', { description: 'why' })
  toast('b')
  toast.error('a', { description: 'why' })
  expect(told()).toEqual(['b', 'a'])
  toast.error('a', { description: 'for another reason' })
  expect(told()).toEqual(['b', 'a', 'a'])
})

test('only the message that is closed goes', () => {
  toast('a')
  toast.success('b')
  dismiss(useToasts.getState().list[0]!.id)
  expect(told()).toEqual(['b'])
})
