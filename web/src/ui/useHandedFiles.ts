import { useEffect, useEffectEvent } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { FILES_EVENT, inWindow, takeFiles } from '../api/desktop'

/** Calls take with the files that are handed to the desktop window: those that wait already, and each time there are new ones. */
export function useHandedFiles(take: (paths: string[]) => void): void {
  const given = useEffectEvent(take)
  useEffect(() => {
    if (!inWindow()) return
    let here = true
    const ask = () => {
      takeFiles()
        .then((paths) => paths.length > 0 && given(paths))
        .catch((error: unknown) => here && toast.error('The files could not be taken over', { description: messageOf(error) }))
    }
    ask()
    window.addEventListener(FILES_EVENT, ask)
    return () => {
      here = false
      window.removeEventListener(FILES_EVENT, ask)
    }
  }, [])
}
