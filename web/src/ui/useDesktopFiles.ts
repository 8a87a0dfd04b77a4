import { useEffect, useEffectEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { DROPPED_EVENT, HANDED_EVENT, inWindow, takeFiles } from '../api/desktop'
import { uiText } from '../text/ui'

// The number of mounted components that accept files.
let receivers = 0

type Receive = (paths: string[]) => void

// What receives the files of the drag that is over a part of the page; null over the rest of the page.
let claimed: Receive | null = null

/**
 * Lets a part of the page receive the files that are dropped on it in the desktop window. Call it while a drag is over that part.
 * The paths follow the drop, which the window need not announce to the page before them.
 */
export function claimDrop(receive: Receive): void {
  claimed = receive
}

/** Whether a part of the page claims the drag. */
export const isDropClaimed = () => claimed !== null

/** Ends the claim on a drag when it moves, so that the part of the page under it claims it again. */
export function watchDrags(): void {
  window.addEventListener('dragover', () => (claimed = null), true)
}

const reportFailure = (error: unknown) => toast.error(uiText.filesNotReceived, { description: messageOf(error) })

/**
 * Calls receive with the paths of files that were opened with the desktop window or dropped on it, including files that
 * are already waiting. If no component accepts files, opened files wait for the next page, and dropped files are
 * rejected with a message.
 */
export function useDesktopFiles(receive: Receive | undefined): void {
  const deliver = useEffectEvent((paths: string[]) => receive?.(paths))
  const accepts = receive !== undefined
  useEffect(() => {
    if (!inWindow() || !accepts) return
    let mounted = true
    const ask = () => {
      takeFiles()
        .then((paths) => paths.length > 0 && deliver(paths))
        .catch((error: unknown) => mounted && reportFailure(error))
    }

    const takeDropped = () => {
      takeFiles()
        .then((paths) => {
          const claim = claimed
          claimed = null
          if (paths.length === 0) toast.error(uiText.nothingAdded, { description: uiText.dropLocalFiles })
          else if (claim) claim(paths)
          else deliver(paths)
        })
        .catch(reportFailure)
    }

    ask()
    receivers++
    window.addEventListener(HANDED_EVENT, ask)
    window.addEventListener(DROPPED_EVENT, takeDropped)
    return () => {
      mounted = false
      receivers--
      window.removeEventListener(HANDED_EVENT, ask)
      window.removeEventListener(DROPPED_EVENT, takeDropped)
    }
  }, [accepts])
}

/** Handles files on a page that accepts none: a message refuses dropped ones, and `leave` shows a page that accepts opened ones. */
export function redirectFiles(leave: () => void): void {
  window.addEventListener(HANDED_EVENT, () => {
    if (receivers === 0) leave()
  })

  window.addEventListener(DROPPED_EVENT, () => {
    if (receivers > 0) return
    takeFiles()
      .then(() => toast.error(uiText.nothingAdded, { description: uiText.dropElsewhere }))
      .catch(reportFailure)
  })
}
