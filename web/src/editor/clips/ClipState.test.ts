import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Clip } from '../../api/clips'
import { clipsText } from '../../text/editor/clips'
import { ClipState } from './ClipState'

const clip = {
  uuid: 'c',
  status: 'ready',
  duration_ms: 5000,
  width: 1920,
  height: 1080,
  frame_rate: 25,
  size_bytes: 1000,
  has_audio: true,
} as Clip

const shown = (change: Partial<Clip>) =>
  renderToStaticMarkup(createElement(ClipState, { clip: { ...clip, ...change } }))

// A recording without audio is valid: its text has the color of the other facts.
test('a clip without audio says so in neutral text', () => {
  expect(shown({ has_audio: false })).toContain(clipsText.noAudio)
  expect(shown({ has_audio: false })).not.toContain('danger')
  expect(shown({})).not.toContain(clipsText.noAudio)
  expect(shown({ status: 'failed', error: 'broken' })).toContain('danger')
})
