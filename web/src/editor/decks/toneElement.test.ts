import { expect, it } from 'vitest'
import { repeatedWav, wavSeconds } from './toneElement'

/** A WAV file of stereo audio at 48 kHz, as the server sends it. */
function wav(samples: number[]): ArrayBuffer {
  const file = new DataView(new ArrayBuffer(44 + 2 * samples.length))
  file.setUint32(4, 36 + 2 * samples.length, true)
  file.setUint32(28, 192_000, true)
  file.setUint32(40, 2 * samples.length, true)
  samples.forEach((s, i) => file.setInt16(44 + 2 * i, s, true))
  return file.buffer
}

it('repeats room tone for the time that it plays, from any place', () => {
  const second = Array.from({ length: 96_000 }, (_, i) => i % 1000)
  const file = repeatedWav(wav(second), 2.5)
  expect(wavSeconds(file)).toBe(4)
  const view = new DataView(file)
  expect(view.getUint32(4, true)).toBe(file.byteLength - 8)
  expect(view.getUint32(40, true)).toBe(file.byteLength - 44)
  for (const copy of [0, 1, 2, 3])
    for (const i of [0, 999, 95_999]) expect(view.getInt16(44 + 2 * (copy * 96_000 + i), true)).toBe(i % 1000)
})

it('loops room tone of an hour instead of repeating it for as long', () => {
  expect(wavSeconds(repeatedWav(wav(Array.from({ length: 96_000 }, () => 1)), 3600))).toBe(61)
})
