import { useEffect, useEffectEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { DROPPED_EVENT, HANDED_EVENT, inWindow, takeFiles } from '../api/desktop'

// How many parts of the page take files now.
let takers = 0

const failed = (error: unknown) => toast.error('The files could not be taken over', { description: messageOf(error) })

/**
 * Calls take with the files that are handed to the desktop window or dropped on it: those that wait already, and each time there are
 * new ones. Where nothing takes files, handed ones wait for the next page, and dropped ones are refused in words.
 */
export function useDesktopFiles(take: ((paths: string[]) => void) | undefined): void {
  const given = useEffectEvent((paths: string[]) => take?.(paths))
  const takes = take !== undefined
  useEffect(() => {
    if (!inWindow() || !takes) return
    let here = true
    const ask = () => {
      takeFiles()
        .then((paths) => paths.length > 0 && given(paths))
        .catch((error: unknown) => here && failed(error))
    }
    const dropped = () => {
      takeFiles()
        .then((paths) =>
          paths.length > 0
            ? given(paths)
            : toast.error('Nothing was added', {
                description: 'Only files of this machine can be dropped here. Copy a link and paste it instead.',
              }),
        )
        .catch(failed)
    }
    ask()
    takers++
    window.addEventListener(HANDED_EVENT, ask)
    window.addEventListener(DROPPED_EVENT, dropped)
    return () => {
      here = false
      takers--
      window.removeEventListener(HANDED_EVENT, ask)
      window.removeEventListener(DROPPED_EVENT, dropped)
    }
  }, [takes])
}

/** Says that nothing takes what is dropped on the desktop window, wherever that is so. */
export function refuseDrops(): void {
  window.addEventListener(DROPPED_EVENT, () => {
    if (takers > 0) return
    takeFiles()
      .then(() =>
        toast.error('Nothing was added', {
          description:
            'Drop recordings on your projects or into one of them. Files for the library are added with its button.',
        }),
      )
      .catch(failed)
  })
}
