// Actions on shorts.

import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { createExport } from '../../api/exports'
import type { Short } from '../../api/shorts'
import { shortsText as text } from '../../text/editor/shorts'
import { activeSpans } from '../edits/cuts'
import { shortName } from '../edits/shorts'
import type { EditorModel } from '../state/contexts'
import {
  distinctName,
  isAudioOnly,
  optionsOfNewShort,
  optionsOfShort,
  settingsOfShort,
  toExportSettings,
  useExportOptions,
} from '../state/exportOptions'
import { useEditorStore } from '../state/store'

/** The selected short, or undefined. */
export const selectedShort = (m: EditorModel): Short | undefined => {
  const { selected } = useEditorStore.getState()
  return m.shorts.shorts.find((s) => s.uuid === selected)
}

/** Makes a short of the selected footage, with the settings of the newest one, and selects it. */
export function makeShort(m: EditorModel): void {
  const { selection, select } = useEditorStore.getState()
  if (!selection) return void toast(text.noSelection, { description: text.noSelectionHint })
  const start_ms = Math.round(selection.startMs)
  const end_ms = Math.round(selection.endMs)
  const { shorts } = m.shorts
  const name = shortName(m.words, activeSpans(m.edits), selection) || text.numbered(shorts.length + 1)
  const last = shorts.reduce<Short | null>((a, b) => (a && a.created_at >= b.created_at ? a : b), null)
  const options = optionsOfNewShort(useExportOptions.getState().project, isAudioOnly(m.ready))
  const made = m.shorts.add({
    name: distinctName(
      name,
      shorts.map((s) => s.name),
    ),
    start_ms,
    end_ms,
    export_settings: last?.export_settings ?? settingsOfShort(options),
  })

  void made.then((short) => short && select(short.uuid))
}

/** Opens the export dialog for a short. */
export function exportShort(short: Short): void {
  const { select, set } = useEditorStore.getState()
  select(short.uuid)
  set({ exporting: true })
}

/** Exports every short with its own settings, and names those that the server refuses. */
export async function exportShorts({ project, shorts: { shorts } }: EditorModel): Promise<void> {
  const options = useExportOptions.getState().project
  const started = shorts.map((short) =>
    createExport(project.uuid, {
      name: short.name,
      settings: toExportSettings(optionsOfShort(options, short)),
      short: short.uuid,
      waits: true,
    }),
  )

  useEditorStore.getState().set({ rightTab: 'exports' })
  const refused = (await Promise.allSettled(started)).flatMap((answer, i) =>
    answer.status === 'rejected' ? [text.refused(shorts[i]!.name, messageOf(answer.reason))] : [],
  )

  if (refused.length === 0) return void toast.success(text.allStarted(shorts.length))
  const some = text.someStarted(shorts.length - refused.length, shorts.length)
  toast.error(some, { description: refused.join('\n'), descriptionClassName: 'whitespace-pre-line' })
}
