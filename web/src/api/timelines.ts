import { api, dataOf, type Schemas } from './client'
import type { ExportRange } from './exports'
import type { components } from './schema'

/** Whether a timeline lacks the parts that are cut, or has them as disabled clips. */
export type TimelineCuts = 'removed' | 'disabled'

export type TimelineFormat = components['parameters']['TimelineFormat']
export type FCPXMLVersion = NonNullable<components['parameters']['FCPXMLVersion']>

export interface TimelineOptions {
  cuts: TimelineCuts
  mediaFolder: string
  fcpxmlVersion: FCPXMLVersion
}

/** What the files of a timeline have. */
export interface FileOptions extends TimelineOptions {
  /** The range of the project; null for all of it. */
  range: ExportRange | null
}

/** What an archive of a timeline has. */
export interface BundleOptions extends FileOptions {
  /** Whether constant-rate copies replace clips with a variable frame rate. */
  constantRate: boolean
}

/** The URL of a timeline file, relative to the base URL of the page. */
export function timelineFile(project: string, format: TimelineFormat, options: FileOptions): string {
  const query = new URLSearchParams({ cuts: options.cuts })
  for (const [name, ms] of Object.entries(options.range ?? {})) query.set(name, String(ms))
  if (options.mediaFolder) query.set('media_folder', options.mediaFolder)
  if (format === 'fcpxml') query.set('fcpxml_version', options.fcpxmlVersion)
  return `api/v1/projects/${project}/timelines/${format}?${query}`
}

/** A short-lived address of a timeline packed with its media. */
export const timelineBundle = (project: string, format: TimelineFormat, options: BundleOptions) =>
  dataOf(
    api.GET('/api/v1/projects/{project_uuid}/timelines/{format}/download-url', {
      params: {
        path: { project_uuid: project, format },
        query: {
          cuts: options.cuts,
          fcpxml_version: options.fcpxmlVersion,
          constant_rate: options.constantRate,
          ...options.range,
        },
      },
    }),
  )

export type TimelineChange = Schemas['TimelineChange']
export type TimelineDifference = Schemas['TimelineDifference']

/** The formats that can come back, by the extension of their files. */
const READABLE: Record<string, TimelineFormat> = { otio: 'otio', fcpxml: 'fcpxml', llc: 'llc' }

/** The file name extensions of timelines that can come back, for a file dialog. */
export const READABLE_TYPES = Object.keys(READABLE)
  .map((extension) => `.${extension}`)
  .join(',')

/** The format of a timeline by its file name; undefined for one that cannot come back. */
export const formatOf = (name: string): TimelineFormat | undefined =>
  READABLE[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]

/** How a timeline that was changed in another editor differs from the project. */
export const compareTimeline = (project: string, format: TimelineFormat, file: File) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/timelines/{format}/compare', {
      params: { path: { project_uuid: project, format } },
      headers: { 'Content-Type': 'application/octet-stream' },
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as BodyInit,
    }),
  )
