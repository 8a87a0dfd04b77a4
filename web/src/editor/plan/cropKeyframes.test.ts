import { describe, expect, it } from 'vitest'
import { keyframeAt, keyframesOf, removeKeyframe, setKeyframe } from './cropKeyframes'

const key = (clip_uuid: string, at_ms: number, x = 0.5) => ({ clip_uuid, at_ms, x, y: 0.5 })

describe('crop keyframes', () => {
  const all = [key('a', 2000), key('b', 0), key('a', 500, 0.1)]
  it('belong to one clip, in order of time', () => {
    expect(keyframesOf(all, 'a').map((k) => k.atMs)).toEqual([500, 2000])
  })

  it('replace a keyframe at the same time', () => {
    const next = setKeyframe(all, key('a', 510, 0.9))
    expect(next).toHaveLength(3)
    expect(keyframeAt(next, 'a', 500)).toMatchObject({ at_ms: 500, x: 0.9 })
    expect(setKeyframe(all, key('a', 600.4))).toContainEqual(key('a', 600))
  })

  it('are removed one by one', () => {
    expect(removeKeyframe(all, 'a', 490)).toEqual([all[0], all[1]])
    expect(removeKeyframe(all, 'a', 900)).toEqual(all)
  })
})
