import { useEffect, useRef, useSyncExternalStore } from 'react'
import { usePlayer } from './contexts'
import type { PlayerState } from '../decks/player'

const IDLE: PlayerState = { playing: false, speed: 1, waiting: false, error: null, deck: 0 }
const never = () => () => {}

/** The state of the player; idle before the player has mounted. */
export function usePlayerState(): PlayerState {
  const player = usePlayer()
  return useSyncExternalStore(player?.subscribe ?? never, player?.snapshot ?? (() => IDLE))
}

/** Calls back with the playhead position, in project time, when it moves and after each render. Causes no render. */
export function usePosition(callback: (ms: number) => void): void {
  const player = usePlayer()
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
    callback(player?.position() ?? 0)
  })

  useEffect(() => player?.watch((ms) => latest.current(ms)), [player])
}
