import { useState } from 'react'
import { changeSetting, setting } from '../../api/settings'
import type { FCPXMLVersion, TimelineCuts, TimelineOptions } from '../../api/timelines'

/** The FCPXML versions that a file may state; the second is the default. */
export const FCPXML_VERSIONS = ['1.9', '1.10', '1.11', '1.12', '1.13'] as const

/** How many projects the account remembers the media folder of. */
const KEPT = 100

interface Stored {
  cuts: TimelineCuts
  version: FCPXMLVersion
  /** Media folders by project, the last used last. */
  folders: [project: string, folder: string][]
}

const DEFAULTS: Stored = { cuts: 'removed', version: '1.10', folders: [] }

/** Reads stored options. Unknown values are replaced by the defaults. */
export function parseTimelineOptions(text: string | null): Stored {
  let stored: Partial<Record<keyof Stored, unknown>> = {}
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    if (typeof value === 'object' && value !== null) stored = value
  } catch {
    return DEFAULTS
  }

  const folders = Array.isArray(stored.folders) ? (stored.folders as unknown[]) : []
  return {
    cuts: stored.cuts === 'disabled' ? 'disabled' : 'removed',
    version: FCPXML_VERSIONS.find((v) => v === stored.version) ?? DEFAULTS.version,
    folders: folders.filter(
      (f): f is [string, string] => Array.isArray(f) && f.length === 2 && f.every((part) => typeof part === 'string'),
    ),
  }
}

/** The options of a project. A project without a folder has the one that was used last. */
export function optionsOf(stored: Stored, project: string): TimelineOptions {
  const folder = stored.folders.find(([uuid]) => uuid === project) ?? stored.folders.at(-1)
  return { cuts: stored.cuts, fcpxmlVersion: stored.version, mediaFolder: folder?.[1] ?? '' }
}

/** Remembers the options of a project. */
export function withOptions(stored: Stored, project: string, options: TimelineOptions): Stored {
  const others = stored.folders.filter(([uuid]) => uuid !== project)
  return {
    cuts: options.cuts,
    version: options.fcpxmlVersion,
    folders: [...others, [project, options.mediaFolder] as [string, string]].slice(-KEPT),
  }
}

const storedOptions = () => parseTimelineOptions(setting('timelines'))

/** The timeline options of a project, a setting of the account. */
export function useTimelineOptions(project: string) {
  const [options, setOptions] = useState(() => optionsOf(storedOptions(), project))
  const change = (to: Partial<TimelineOptions>) => {
    const changed = { ...options, ...to }
    setOptions(changed)
    changeSetting('timelines', JSON.stringify(withOptions(storedOptions(), project, changed)))
  }

  return { options, change }
}
