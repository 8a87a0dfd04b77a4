// Zoom commands reach the timeline through an event, because the timeline owns its viewport.

/** A zoom factor, where above 1 zooms in, or "fit" for the whole recording. */
export type Zoom = number | 'fit'

const ZOOM = 'roughcut:zoom'

export function requestZoom(zoom: Zoom): void {
  window.dispatchEvent(new CustomEvent<Zoom>(ZOOM, { detail: zoom }))
}

/** Calls back for every requested zoom; returns a function that stops that. */
export function onZoomRequest(callback: (zoom: Zoom) => void): () => void {
  const listener = (event: Event) => callback((event as CustomEvent<Zoom>).detail)
  window.addEventListener(ZOOM, listener)
  return () => window.removeEventListener(ZOOM, listener)
}
