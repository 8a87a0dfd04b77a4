import { expect, it, vi } from 'vitest'
import type { Tone } from './deckAudio'
import { MutedAudio } from './mutedAudio'

const layout = [
  { startMs: 0, endMs: 10_000 },
  { startMs: 10_000, endMs: 30_000 },
]

const clips = ['first', 'second']

function open() {
  const loop = { duration: 2 } as AudioBuffer
  const audio = {
    setMuted: vi.fn<(muted: boolean) => void>(),
    decode: vi.fn<(file: ArrayBuffer, seconds: number) => Promise<Tone | null>>().mockResolvedValue(loop),
    playTone: vi.fn<(tone: Tone, from: number) => void>(),
    stopTone: vi.fn<() => void>(),
  }

  const source = vi
    .fn<(clip: string, span: object) => Promise<ArrayBuffer | null>>()
    .mockResolvedValue(new ArrayBuffer(8))

  const mutes = new MutedAudio(audio, source)
  const at = (ms: number, playing = true) =>
    mutes.update(clips, layout, [{ startMs: 14_000, endMs: 15_000 }], ms, playing)

  const played = () => vi.waitFor(() => expect(audio.playTone).toHaveBeenCalled())
  return { audio, source, at, played, loop }
}

/** Resolves when the responses so far have arrived. */
const answered = () => new Promise((done) => setTimeout(done))

it('loads the room tone before a mute, in clip time, and plays it inside', async () => {
  const { audio, source, at, played, loop } = open()
  at(8_000)
  expect(source).not.toHaveBeenCalled()
  at(10_500)
  expect(source.mock.calls).toEqual([['second', { startMs: 4_000, endMs: 5_000 }]])
  expect(audio.setMuted).toHaveBeenLastCalledWith(false)
  at(14_000)
  expect(audio.setMuted).toHaveBeenLastCalledWith(true)
  await played()
  expect(audio.decode.mock.calls[0]![1]).toBe(1)
  expect(audio.playTone.mock.calls[0]![0]).toBe(loop)
  expect(audio.playTone.mock.calls[0]![1]).toBeCloseTo(4, 1)
  at(14_500)
  expect(audio.playTone).toHaveBeenCalledTimes(1)
  at(15_000)
  expect(audio.setMuted).toHaveBeenLastCalledWith(false)
  expect(audio.stopTone).toHaveBeenCalledTimes(2)
  expect(source).toHaveBeenCalledTimes(1)
})

it('a pause stops the room tone, and a mute that ended before it was loaded plays none', async () => {
  const { audio, at, played } = open()
  at(14_100)
  await played()
  at(14_200, false)
  expect(audio.setMuted).toHaveBeenLastCalledWith(true)
  expect(audio.stopTone).toHaveBeenCalledTimes(2)

  const late = open()
  late.at(14_900)
  late.at(15_100)
  await answered()
  expect(late.audio.playTone).not.toHaveBeenCalled()
})

it('plays silence without room tone, and loads it again after a failure', async () => {
  const { audio, source, at, played } = open()
  source.mockRejectedValueOnce(new Error('offline'))
  at(14_100)
  await answered()
  expect(audio.playTone).not.toHaveBeenCalled()
  at(16_000)
  at(14_100)
  await played()
  expect(source).toHaveBeenCalledTimes(2)
})
