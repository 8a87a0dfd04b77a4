import { describe, expect, it } from 'vitest'
import type { Placement } from '../../api/edits'
import {
  changeToMusic,
  isMusic,
  matchingAssets,
  movePlacement,
  newPlacement,
  laneRows,
  splitPlacement,
  resizePlacement,
} from './placements'

const placement = (uuid: string, more: Partial<Placement> = {}): Placement => ({
  ...newPlacement({ asset_file_id: 'file', kind: 'video', duration_ms: 8000, display_name: 'City' }, 1000, 60_000)!,
  uuid,
  ...more,
})

describe('placements', () => {
  it('are as long as their asset and end with the project', () => {
    const video = { asset_file_id: 'f', kind: 'video', duration_ms: 8000, display_name: '' } as const
    expect(newPlacement(video, 1000.4, 60_000)).toMatchObject({
      start_ms: 1000,
      end_ms: 9000,
      visual_mode: 'cutaway',
      audio_mode: 'mute',
    })

    expect(newPlacement(video, 55_000, 60_000)).toMatchObject({ start_ms: 55_000, end_ms: 60_000 })
    expect(newPlacement(video, 60_000, 60_000)).toBeNull()
    expect(newPlacement({ ...video, kind: 'image', duration_ms: null }, 0, 60_000)).toMatchObject({ end_ms: 5000 })
    expect(newPlacement({ ...video, kind: 'audio' }, 0, 60_000)).toMatchObject({
      visual_mode: 'none',
      audio_mode: 'mix',
    })
  })

  it('stay within the project when moved', () => {
    const p = placement('p')
    expect(movePlacement(p, -5000, 60_000)).toMatchObject({ start_ms: 0, end_ms: 8000 })
    expect(movePlacement(p, 100_000, 60_000)).toMatchObject({ start_ms: 52_000, end_ms: 60_000 })
  })

  it('stay within their file when trimmed', () => {
    const p = placement('p', { start_ms: 3000, end_ms: 6000, asset_offset_ms: 1000 })
    expect(resizePlacement(p, 'start', 0, 8000, 60_000)).toMatchObject({ start_ms: 2000, asset_offset_ms: 0 })
    expect(resizePlacement(p, 'start', 4000, 8000, 60_000)).toMatchObject({ start_ms: 4000, asset_offset_ms: 2000 })
    expect(resizePlacement(p, 'end', 50_000, 8000, 60_000)).toMatchObject({ end_ms: 10_000 })
    expect(resizePlacement(p, 'end', 0, 8000, 60_000)).toMatchObject({ end_ms: 3020 })
    expect(resizePlacement(p, 'start', 0, null, 60_000)).toMatchObject({ start_ms: 0, asset_offset_ms: 1000 })
  })

  it('start again in their file when trimmed in a loop', () => {
    const p = placement('p', { start_ms: 10_000, end_ms: 30_000, asset_offset_ms: 1000, loop: true })
    expect(resizePlacement(p, 'end', 50_000, 8000, 60_000)).toMatchObject({ end_ms: 50_000 })
    expect(resizePlacement(p, 'start', 18_000, 8000, 60_000)).toMatchObject({ start_ms: 18_000, asset_offset_ms: 1000 })
    expect(resizePlacement(p, 'start', 0, 8000, 60_000)).toMatchObject({ start_ms: 0, asset_offset_ms: 7000 })
    expect(splitPlacement(p, 29_000, 8000)!.act.create).toMatchObject([{ start_ms: 29_000, asset_offset_ms: 4000 }])
  })

  it('continue in their file after a split', () => {
    const halves = splitPlacement(placement('p', { start_ms: 1000, end_ms: 5000, asset_offset_ms: 500 }), 3000, 8000)!
    expect(halves.act.change).toEqual([{ uuid: 'p', to: { end_ms: 3000 } }])
    expect(halves.act.create).toMatchObject([{ start_ms: 3000, end_ms: 5000, asset_offset_ms: 2500 }])
    expect(splitPlacement(placement('p'), 1005, 8000)).toBeNull()
  })

  describe('of music', () => {
    const song = { asset_file_id: 'f', kind: 'audio', duration_ms: 30_000, display_name: 'Song' } as const
    const music = newPlacement(song, 2000, 100_000)!
    it('are quiet, lower under speech, faded and looped until the end; sound effects are not', () => {
      expect(20 * Math.log10(music.audio_volume_percent / 100)).toBeCloseTo(-18, 0)
      expect(isMusic(music)).toBe(true)
      expect(music).toMatchObject({ start_ms: 2000, end_ms: 100_000, loop: true, fade_in_ms: 1000, fade_out_ms: 3000 })
      const effect = newPlacement({ ...song, duration_ms: 29_999 }, 2000, 100_000)!
      expect(isMusic(effect)).toBe(false)
      expect(effect).toMatchObject({ end_ms: 31_999, audio_volume_percent: 100, loop: false, fade_in_ms: 0 })
      expect(newPlacement({ ...song, kind: 'video' }, 2000, 100_000)!.until_end).toBe(false)
    })

    it('become plain ones and music again', () => {
      const plain = { ...music, ...changeToMusic(music, false, 30_000, 100_000) }
      expect(plain).toMatchObject({
        end_ms: 32_000,
        audio_volume_percent: 100,
        until_end: false,
        loop: false,
        fade_out_ms: 0,
      })

      expect({ ...plain, ...changeToMusic(plain, true, 30_000, 100_000) }).toEqual(music)
    })

    it('keep their end when moved, and lose it when trimmed or split', () => {
      expect(movePlacement(music, 5000, 100_000)).toMatchObject({ start_ms: 7000, end_ms: 100_000, until_end: true })
      expect(movePlacement(music, 200_000, 100_000)).toMatchObject({ start_ms: 99_980, end_ms: 100_000 })
      const resized = (ms: number) => resizePlacement(music, 'end', ms, 30_000, 100_000)
      expect(resized(50_000)).toMatchObject({ end_ms: 50_000, until_end: false })
      expect(resized(200_000)).toMatchObject({ end_ms: 100_000, until_end: true })
      const { act } = splitPlacement(music, 50_000, 30_000)!
      expect(act.change).toEqual([{ uuid: music.uuid, to: { end_ms: 50_000, until_end: false } }])
      expect(act.create).toMatchObject([{ start_ms: 50_000, end_ms: 100_000, until_end: true }])
    })
  })

  it('use several rows if they overlap', () => {
    const span = (start_ms: number, end_ms: number) => ({ start_ms, end_ms })
    expect(laneRows([span(0, 10), span(5, 15), span(10, 20), span(12, 13)])).toEqual([0, 1, 0, 2])
  })

  it('match by word prefixes of name and tags', () => {
    const assets = [
      { display_name: 'City at night', tags: ['Neon'] },
      { display_name: 'Espresso', tags: [] },
      { display_name: 'शहर की रात', tags: [] },
    ]

    expect(matchingAssets(assets, 'neo ci')).toEqual([assets[0]])
    expect(matchingAssets(assets, 'presso')).toEqual([])
    expect(matchingAssets(assets, 'की')).toEqual([assets[2]])
    expect(matchingAssets(assets, ' ')).toBe(assets)
  })
})
