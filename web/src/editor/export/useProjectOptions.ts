import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { projectQuery, saveExportOptions } from '../../api/projects'
import { useLayout, useProject } from '../state/contexts'
import {
  defaultFormat,
  isAudioOnly,
  toExportSettings,
  useExportOptions,
  type ExportOptions,
} from '../state/exportOptions'

/** How long after the last change the options are saved, in milliseconds: a slider changes them many times. */
export const SAVE_MS = 400

/** Loads the export options of the open project, and saves them after a change and on leaving. */
export function useProjectOptions(): void {
  const { project } = useProject()
  const { changed, open } = useExportOptions()
  const options = useExportOptions((s) => s.project)
  const queryClient = useQueryClient()
  const load = useEffectEvent(() => open(project.export_settings))
  // Each save waits for the one before it, because requests can overtake each other.
  const saves = useRef<Promise<unknown>>(Promise.resolve())
  const save = useEffectEvent((uuid: string, options: ExportOptions) => {
    const saved = saves.current.then(() => saveExportOptions(uuid, toExportSettings(options)))
    saves.current = saved.catch(() => undefined)
    return saved
  })

  useEffect(() => {
    const { uuid } = project
    load()
    return () => {
      // The store still has the options of this project.
      const left = useExportOptions.getState()
      if (left.changed) void save(uuid, left.project).catch(() => undefined)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- another project, not a new state of this one
  }, [project.uuid])

  // A project without options follows its recordings, also those that are read later.
  const { ready } = useLayout()
  const adapt = useEffectEvent(() => {
    const { options, ofShort, changed, follow } = useExportOptions.getState()
    if (ready.length === 0 || project.export_settings || changed || ofShort) return
    follow(defaultFormat(ready, options.format))
  })

  const anyReady = ready.length > 0
  const audioType = isAudioOnly(ready) ? ready[0]!.content_type : null
  useEffect(() => adapt(), [project.uuid, anyReady, audioType])

  const { uuid } = project
  useEffect(() => {
    if (!changed) return
    const timer = window.setTimeout(() => {
      void save(uuid, options)
        .then(() => {
          if (useExportOptions.getState().project === options) useExportOptions.setState({ changed: false })
          return queryClient.invalidateQueries({ queryKey: projectQuery(uuid).queryKey })
        })
        .catch(() => undefined) // the next change or leaving the page tries again
    }, SAVE_MS)

    return () => window.clearTimeout(timer)
  }, [options, changed, uuid, queryClient])
}
