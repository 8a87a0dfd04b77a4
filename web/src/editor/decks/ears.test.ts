import { expect, it } from 'vitest'
import { earsOf } from './ears'

const mono = { uuid: 'mono', audio_channels: 1 }
const stereo = { uuid: 'stereo', audio_channels: 2 }
const silent = { uuid: 'silent' }
const voice = { uuid: 'voice', audio_channels: 2, voice_channel: 'right' as const, voice_gain: 0.7 }

it('plays a mono recording 3 dB lower if the export has two channels', () => {
  const lower = [['mono', { channel: null, gain: Math.SQRT1_2 }]]
  expect([...earsOf([mono, silent], false, false)]).toEqual([])
  expect([...earsOf([mono, stereo], false, false)]).toEqual(lower)
  expect([...earsOf([mono], false, true)]).toEqual(lower)
})

it('plays a voice of one channel on both sides at its own gain', () => {
  expect([...earsOf([voice], false, false)]).toEqual([])
  expect([...earsOf([voice, mono], true, false)]).toEqual([
    ['voice', { channel: 'right', gain: 0.7 }],
    ['mono', { channel: null, gain: Math.SQRT1_2 }],
  ])
})
