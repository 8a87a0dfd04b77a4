import { useEffect, useEffectEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { DROPPED_EVENT, HANDED_EVENT, inWindow, takeFiles } from '../api/desktop'
import { uiText } from '../text/ui'

// The number of mounted components that accept files.
let receivers = 0

const failed = (error: unknown) => toast.error(uiText.filesNotReceived, { description: messageOf(error) })

/**
 * Calls receive with the paths of files that were opened with the desktop window or dropped on it, including files that
 * are already waiting. If no component accepts files, opened files wait for the next page, and dropped files are
 * rejected with a message.
 */
export function useDesktopFiles(receive: ((paths: string[]) => void) | undefined): void {
  const deliver = useEffectEvent((paths: string[]) => receive?.(paths))
  const accepts = receive !== undefined
  useEffect(() => {
    if (!inWindow() || !accepts) return
    let mounted = true
    const ask = () => {
      takeFiles()
        .then((paths) => paths.length > 0 && deliver(paths))
        .catch((error: unknown) => mounted && failed(error))
    }
    const dropped = () => {
      takeFiles()
        .then((paths) =>
          paths.length > 0 ? deliver(paths) : toast.error(uiText.nothingAdded, { description: uiText.dropLocalFiles }),
        )
        .catch(failed)
    }
    ask()
    receivers++
    window.addEventListener(HANDED_EVENT, ask)
    window.addEventListener(DROPPED_EVENT, dropped)
    return () => {
      mounted = false
      receivers--
      window.removeEventListener(HANDED_EVENT, ask)
      window.removeEventListener(DROPPED_EVENT, dropped)
    }
  }, [accepts])
}

/** Shows a message when files are dropped on a page that accepts none. */
export function refuseDrops(): void {
  window.addEventListener(DROPPED_EVENT, () => {
    if (receivers > 0) return
    takeFiles()
      .then(() => toast.error(uiText.nothingAdded, { description: uiText.dropElsewhere }))
      .catch(failed)
  })
}
