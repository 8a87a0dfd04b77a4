import { useEffect, useRef, useSyncExternalStore } from 'react'
import { usePlayer } from '../state/contexts'
import type { PlayerState } from './player'

const IDLE: PlayerState = { playing: false, speed: 1, waiting: false, error: null, deck: 0 }
const never = () => () => {}

/** What the player is doing; idle before there is one. */
export function usePlayerState(): PlayerState {
  const player = usePlayer()
  return useSyncExternalStore(player?.subscribe ?? never, player?.snapshot ?? (() => IDLE))
}

/** Calls back with the project time whenever it moves, without rendering anything anew, and after each rendering. */
export function usePosition(callback: (ms: number) => void): void {
  const player = usePlayer()
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
    callback(player?.position() ?? 0)
  })
  useEffect(() => player?.watch((ms) => latest.current(ms)), [player])
}
