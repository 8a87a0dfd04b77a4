import { inWindow } from '../api/desktop'

// Whether the drag that is under way began on this page.
let own = false

/** Whether a drag brings files. Pages in the desktop window are told of a list of addresses instead, as with links that they drag themselves. */
export function bringsFiles(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? []
  return types.includes('Files') || (inWindow() && !own && types.includes('text/uri-list'))
}

/** Keeps the desktop window from showing what is dropped on it in place of the page. */
export function guardDrops(): void {
  const mark = (event: Event) => {
    own = event.type === 'dragstart'
  }
  window.addEventListener('mousedown', mark, true) // the source of a drag may go before its end is told
  window.addEventListener('dragstart', mark, true)
  window.addEventListener('dragend', mark, true)
  const keep = (event: DragEvent) => {
    const types = event.dataTransfer?.types ?? []
    if (types.includes('Files') || types.includes('text/uri-list')) event.preventDefault()
  }
  window.addEventListener('dragenter', keep) // a drop may follow it at once
  window.addEventListener('dragover', keep)
  window.addEventListener('drop', keep)
}
