import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { projectQuery, saveExportOptions } from '../../api/projects'
import { useProject } from '../state/contexts'
import { toExportSettings, useExportOptions, type ExportOptions } from '../state/exportOptions'

/** How long after the last change the options are saved, in milliseconds: a slider changes them many times. */
const SAVE_MS = 400

/** Loads the export options of the open project, and saves them after a change and on leaving. */
export function useProjectOptions(): void {
  const { project } = useProject()
  const { options, changed, open } = useExportOptions()
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
      if (left.changed) void save(uuid, left.options).catch(() => undefined)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- another project, not a new state of this one
  }, [project.uuid])

  const { uuid } = project
  useEffect(() => {
    if (!changed) return
    const timer = window.setTimeout(() => {
      void save(uuid, options)
        .then(() => {
          if (useExportOptions.getState().options === options) useExportOptions.setState({ changed: false })
          return queryClient.invalidateQueries({ queryKey: projectQuery(uuid).queryKey })
        })
        .catch(() => undefined) // the next change or leaving the page tries again
    }, SAVE_MS)

    return () => window.clearTimeout(timer)
  }, [options, changed, uuid, queryClient])
}
