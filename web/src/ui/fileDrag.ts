import { inWindow } from '../api/desktop'

// Whether the current drag started on this page.
let own = false

/**
 * Reports whether a drag contains files. In the desktop window, a file drag arrives as a URI list, which looks the same
 * as a link dragged from the page.
 */
export function bringsFiles(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? []
  return types.includes('Files') || (inWindow() && !own && types.includes('text/uri-list'))
}

/** Prevents the desktop window from navigating to a dropped file. */
export function guardDrops(): void {
  const mark = (event: Event) => {
    own = event.type === 'dragstart'
  }

  window.addEventListener('mousedown', mark, true) // the drag source may be removed before dragend fires
  window.addEventListener('dragstart', mark, true)
  window.addEventListener('dragend', mark, true)
  const keep = (event: DragEvent) => {
    const types = event.dataTransfer?.types ?? []
    if (types.includes('Files') || types.includes('text/uri-list')) event.preventDefault()
  }

  window.addEventListener('dragenter', keep) // a drop may follow dragenter immediately
  window.addEventListener('dragover', keep)
  window.addEventListener('drop', keep)
}
