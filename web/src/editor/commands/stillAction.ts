// Saves the frame at the playhead as an image.

import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { inWindow, saveStillFile } from '../../api/desktop'
import { loadStill, type StillType } from '../../api/exports'
import { commandsText as text } from '../../text/editor/commands'
import { toExportSettings, useExportOptions } from '../state/exportOptions'
import type { EditorModel } from '../state/contexts'
import { timecode } from '../plan/timecode'

/**
 * Saves the frame at the playhead, in the size and with the captions of the next export: the desktop app asks for the path, a
 * browser downloads the image.
 */
export function saveStill({ project, player, totalMs }: EditorModel, type: StillType = 'png'): void {
  player?.pause()
  const ms = Math.min(player?.position() ?? 0, Math.max(totalMs - 1, 0))
  const settings = toExportSettings(useExportOptions.getState().options)
  const saved = inWindow()
    ? saveStillFile(project.uuid, ms, settings, type).then((path) => {
        if (path !== null) toast.success(text.stillSaved, { description: path })
      })
    : loadStill(project.uuid, ms, settings, type).then((image) => {
        const link = document.createElement('a')
        link.href = URL.createObjectURL(image)
        link.download = text.stillName(project.name, timecode(ms).replaceAll(':', '.'), type)
        link.click()
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
      })

  saved.catch((error: unknown) => toast.error(text.stillFailed, { description: messageOf(error) }))
}
