import { describe, expect, it } from 'vitest'
import { StallClock } from './stallClock'

const LOOK_MS = 100

/** Looks at an element for a time and returns the help in it, with the times in ms. */
function watch(clock: StallClock, element: { currentTime: number }, ms: number, each?: () => void): string[] {
  const seen: string[] = []
  for (let at = LOOK_MS; at <= ms; at += LOOK_MS) {
    each?.()
    const help = clock.look(element, LOOK_MS)
    if (help !== 'none') seen.push(`${help} ${at}`)
  }

  return seen
}

describe('a video whose time stands', () => {
  const standing = () => {
    const clock = new StallClock()
    const element = { currentTime: 3 }
    clock.look(element, LOOK_MS)
    return { clock, element }
  }

  it('is waiting after 300 ms', () => {
    const { clock, element } = standing()
    watch(clock, element, 200)
    expect(clock.stands).toBe(false)
    watch(clock, element, 100)
    expect(clock.stands).toBe(true)
  })

  it('is started again once, and then loaded again and again', () => {
    const { clock, element } = standing()
    expect(watch(clock, element, 25_000)).toEqual(['nudge 2000', 'reload 10000', 'reload 20000'])
  })

  it('is not loaded again while data arrives', () => {
    const { clock, element } = standing()
    expect(watch(clock, element, 25_000, () => clock.dataArrived())).toEqual(['nudge 2000'])
  })

  it('waits no longer once its time passes', () => {
    const { clock, element } = standing()
    watch(clock, element, 5000)
    element.currentTime += 0.04
    expect(clock.look(element, LOOK_MS)).toBe('none')
    expect(clock.stands).toBe(false)
    expect(watch(clock, element, 2000)).toEqual(['nudge 2000'])
  })

  it('has the whole time again when another video is watched', () => {
    const { clock, element } = standing()
    watch(clock, element, 1900)
    expect(watch(clock, { currentTime: 3 }, 2000)).toEqual([])
  })
})

describe('a video whose time passes', () => {
  it('needs no help', () => {
    const clock = new StallClock()
    const element = { currentTime: 0 }
    expect(watch(clock, element, 60_000, () => (element.currentTime += 0.1))).toEqual([])
    expect(clock.plays).toBe(true)
  })

  it('does not play after a single seek', () => {
    const clock = new StallClock()
    const element = { currentTime: 0 }
    clock.look(element, LOOK_MS)
    element.currentTime = 7
    clock.look(element, LOOK_MS)
    expect(clock.plays).toBe(false)
  })
})
