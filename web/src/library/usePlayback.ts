import { useEffect, useRef, useState, type RefObject } from 'react'
import { playableFrom, type Trim } from './trim'

/** Playback of a trimmed asset. */
export interface Playback {
  atMs: number
  playing: boolean
  toggle: () => void
  seek: (ms: number) => void
}

/** Plays a media element as the result of a trim: playback skips cuts and stops at the end of the range. */
export function usePlayback(element: RefObject<HTMLMediaElement | null>, trim: Trim): Playback {
  const [atMs, setAt] = useState(0)
  const [playing, setPlaying] = useState(false)
  const current = useRef(trim)
  useEffect(() => {
    current.current = trim
  })

  useEffect(() => {
    if (!playing) return
    let frame = requestAnimationFrame(function follow() {
      const media = element.current
      if (!media) return
      const ms = media.currentTime * 1000
      const next = playableFrom(current.current, ms)
      if (next === null || media.ended) {
        media.pause()
        setPlaying(false)
      } else if (next > ms + 1 && !media.seeking) media.currentTime = next / 1000
      setAt(Math.min(ms, current.current.endMs))
      frame = requestAnimationFrame(follow)
    })

    return () => cancelAnimationFrame(frame)
  }, [playing, element])

  const seek = (ms: number) => {
    setAt(ms)
    if (element.current) element.current.currentTime = ms / 1000
  }

  const toggle = () => {
    const media = element.current
    if (!media) return
    if (playing) media.pause()
    else {
      const from = playableFrom(trim, media.currentTime * 1000) ?? trim.startMs
      if (Math.abs(from - media.currentTime * 1000) > 1) media.currentTime = from / 1000
      void media.play().catch(() => setPlaying(false))
    }

    setPlaying(!playing)
  }

  return { atMs, playing, toggle, seek }
}
