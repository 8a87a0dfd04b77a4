// Actions on the player.

import { stepFrames } from '../plan/playback'
import type { EditorModel } from '../state/contexts'
import { useEditorStore } from '../state/store'

export const play = ({ player }: EditorModel) => player?.toggle()

/** Plays faster in a direction with each call. */
export const shuttle =
  (direction: 1 | -1) =>
  ({ player }: EditorModel) =>
    player?.shuttle(direction)

/** Pauses and moves the playhead by whole frames. */
export const stepBy = (frames: number) => (m: EditorModel) =>
  seekTo(m, stepFrames(m.layout, m.rates, m.player?.position() ?? 0, frames))

/** Pauses and moves the playhead by milliseconds. */
export const seekBy = (ms: number) => (m: EditorModel) => seekTo(m, (m.player?.position() ?? 0) + ms)

export const goToStart = (m: EditorModel) => seekTo(m, 0)
export const goToEnd = (m: EditorModel) => seekTo(m, m.totalMs)

export function toggleSkipCuts(): void {
  const { skipCuts, set } = useEditorStore.getState()
  set({ skipCuts: !skipCuts })
}

function seekTo({ player }: EditorModel, ms: number): void {
  player?.pause()
  player?.seek(ms)
}

/** Shows the player in fullscreen, or leaves it. A window that cannot be in fullscreen is filled. */
export function toggleFullscreen(): void {
  const { fullscreen, set } = useEditorStore.getState()
  set({ fullscreen: !fullscreen })
  if (fullscreen) leaveFullscreen()
  else document.documentElement.requestFullscreen?.().catch(() => undefined)
}

/** Leaves the fullscreen of the browser, if it is in one. */
export function leaveFullscreen(): void {
  useEditorStore.getState().set({ fullscreen: false })
  if (document.fullscreenElement) void document.exitFullscreen()
}
