import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ShownFrames } from './shownFrames'

type Callback = (now: number, frame: { mediaTime: number; expectedDisplayTime: number }) => void

/** A video element that shows frames when asked. */
class Video {
  currentTime = 0
  private callback: Callback | null = null
  requestVideoFrameCallback(callback: Callback): number {
    this.callback = callback
    return 1
  }

  cancelVideoFrameCallback(): void {
    this.callback = null
  }

  show(mediaTime: number): void {
    this.callback?.(performance.now(), { mediaTime, expectedDisplayTime: performance.now() - 5 })
  }
}

const follow = (video: object, report = () => {}) => new ShownFrames(video as HTMLVideoElement, report)

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => vi.useRealTimers())

it('reports each frame, its delay and the frame before', () => {
  const [video, report] = [new Video(), vi.fn()]
  follow(video, report)
  video.show(1)
  video.show(1.04)
  expect(report.mock.calls).toEqual([
    [{ ms: 1000, lateMs: 5, before: -Infinity }],
    [{ ms: 1040, lateMs: 5, before: 1000 }],
  ])
})

it('knows the shown frame, not the time of the element, as long as frames are reported', () => {
  const video = new Video()
  const frames = follow(video)
  expect(frames.now()).toBe(-Infinity)
  video.show(2)
  video.currentTime = 2.03
  vi.advanceTimersByTime(250)
  expect([frames.silent(), frames.now()]).toEqual([false, 2000])
})

it('takes the time of the element when no frame was reported for 300 ms', () => {
  const video = new Video()
  const frames = follow(video)
  video.show(2)
  video.currentTime = 2.5
  vi.advanceTimersByTime(301)
  expect([frames.silent(), frames.now()]).toEqual([true, 2500])
  video.show(2.48)
  expect([frames.silent(), frames.now()]).toEqual([false, 2480])
})

it('forgets the frames of another place', () => {
  const video = new Video()
  const frames = follow(video)
  video.show(9)
  vi.advanceTimersByTime(5000)
  frames.restart()
  video.currentTime = 2
  expect(frames.now()).toBe(-Infinity)
  vi.advanceTimersByTime(301)
  expect(frames.now()).toBe(2000)
})

it('takes the time of the element at once in browsers that never report a frame', () => {
  const video = new Video()
  const frames = follow(video)
  vi.advanceTimersByTime(301)
  frames.restart()
  video.currentTime = 2
  expect(frames.now()).toBe(2000)
  expect(follow({ currentTime: 4 }).now()).toBe(4000)
})
