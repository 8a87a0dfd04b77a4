import { expect, it } from 'vitest'
import { Playlist } from './playlist'

const segment = (clip: number, inMs: number, outMs: number, startMs: number) => ({ clip, inMs, outMs, startMs })

/** Two clips of 10 s; of the first one, 2 to 4 s are cut. */
function twoClips(): Playlist {
  const playlist = new Playlist()
  playlist.replace({
    clips: ['a', 'b'],
    layout: [
      { startMs: 0, endMs: 10_000 },
      { startMs: 10_000, endMs: 20_000 },
    ],
    segments: [segment(0, 0, 2000, 0), segment(0, 4000, 10_000, 4000), segment(1, 0, 10_000, 10_000)],
    muted: [{ startMs: 500, endMs: 600 }],
  })

  return playlist
}

it('finds the segment at a time, and the next one inside a cut', () => {
  const playlist = twoClips()
  expect(playlist.find(3000)).toBe(true)
  expect([playlist.current?.startMs, playlist.next?.startMs]).toEqual([4000, 10_000])
  playlist.advance()
  expect(playlist.clipOf(playlist.current!)).toBe('b')
  expect(playlist.placeAt(12_000)).toEqual({ clip: 'b', ms: 2000 })
})

it('starts again past the last segment', () => {
  const playlist = twoClips()
  expect(playlist.find(20_000)).toBe(false)
  expect(playlist.current).toBeUndefined()
  expect(playlist.rewind()?.startMs).toBe(0)
})

it('keeps an audition while the sequence changes', () => {
  const playlist = twoClips()
  playlist.startAudition([segment(1, 1000, 2000, 11_000)], [])
  playlist.replace({ clips: ['a', 'b'], layout: playlist.layout, segments: [], muted: [] })
  expect([playlist.auditions, playlist.current?.startMs, playlist.muted]).toEqual([true, 11_000, []])
  playlist.endAudition()
  expect([playlist.auditions, playlist.current]).toEqual([false, undefined])
})
