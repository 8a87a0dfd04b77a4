// What would be lost if the page closed.

import { tellWindow } from '../api/windowState'

let held = 0
const ask = (event: BeforeUnloadEvent) => event.preventDefault()

/** Makes the browser or the desktop window ask before the page closes, until the returned function is called. */
export function holdClose(): () => void {
  change(1)
  return () => change(-1)
}

function change(by: number): void {
  held += by
  if (held > 0) window.addEventListener('beforeunload', ask)
  else window.removeEventListener('beforeunload', ask)
  tellWindow({ unsaved: held > 0 })
}
