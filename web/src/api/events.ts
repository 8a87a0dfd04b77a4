import { basePath } from './client'
import type { HistoryEntry } from './history'

/** The events of a project's event stream by type. */
export interface EventMap {
  /** The step and progress are present once processing has started. */
  CLIP_PROCESSING: { clip_uuid: string; step?: 'download' | 'ingest'; progress?: number }
  CLIP_READY: { clip_uuid: string; duration_ms: number }
  CLIP_FAILED: { clip_uuid: string; error: string }
  /** The sprite sheet of a clip that was ready before. */
  CLIP_TILES_READY: { clip_uuid: string }
  CLIP_TILES_FAILED: { clip_uuid: string; error: string }
  CONSTANT_RATE_PROGRESS: { clip_uuid: string; progress: number }
  CONSTANT_RATE_READY: { clip_uuid: string }
  CONSTANT_RATE_FAILED: { clip_uuid: string; error: string }
  ANALYSIS_STARTED: { project_uuid: string; run_uuid: string }
  ANALYSIS_PROGRESS: { run_uuid: string; step: string; progress: number }
  ANALYSIS_COMPLETE: { run_uuid: string; edit_count: number }
  ANALYSIS_FAILED: { run_uuid: string; error: string }
  EXPORT_STARTED: { export_uuid: string }
  EXPORT_PROGRESS: { export_uuid: string; step: string; progress: number }
  EXPORT_COMPLETE: { export_uuid: string; storage_key: string }
  EXPORT_FAILED: { export_uuid: string; error: string }
  /** A change was made, undone or redone, maybe in this window. */
  HISTORY_CHANGED: { entry_uuid: string; kind: HistoryEntry['kind']; undone: boolean }
  /** Events were lost, so the page must fetch everything again. */
  RESYNC: object
}

export type EventType = keyof EventMap
export type ProjectEvent = { [T in EventType]: { type: T; data: EventMap[T] } }[EventType]

const TYPES: readonly EventType[] = [
  'CLIP_PROCESSING',
  'CLIP_READY',
  'CLIP_FAILED',
  'CLIP_TILES_READY',
  'CLIP_TILES_FAILED',
  'CONSTANT_RATE_PROGRESS',
  'CONSTANT_RATE_READY',
  'CONSTANT_RATE_FAILED',
  'ANALYSIS_STARTED',
  'ANALYSIS_PROGRESS',
  'ANALYSIS_COMPLETE',
  'ANALYSIS_FAILED',
  'EXPORT_STARTED',
  'EXPORT_PROGRESS',
  'EXPORT_COMPLETE',
  'EXPORT_FAILED',
  'HISTORY_CHANGED',
  'RESYNC',
]

/** The delay before reopening a stream that the browser closed, in milliseconds. */
const REOPEN_MS = 3_000

/**
 * Follows a project's events until the returned function is called. When the connection breaks, the browser reconnects
 * and receives the missed events. If it gives up instead, followEvents opens a new stream and reports RESYNC, because
 * events may be missing. Data that was fetched before onOpen may be older than the first event.
 */
export function followEvents(project: string, onEvent: (event: ProjectEvent) => void, onOpen?: () => void): () => void {
  let source: EventSource
  let timer: number | undefined
  const open = () => {
    source = new EventSource(`${basePath}/api/v1/projects/${project}/events`)
    for (const type of TYPES) {
      source.addEventListener(type, (message) => {
        const data: unknown = JSON.parse((message as MessageEvent<string>).data || '{}')
        onEvent({ type, data } as ProjectEvent)
      })
    }

    source.onopen = () => onOpen?.()
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return
      timer = window.setTimeout(() => {
        open()
        onEvent({ type: 'RESYNC', data: {} })
      }, REOPEN_MS)
    }
  }

  open()
  return () => {
    window.clearTimeout(timer)
    source.close()
  }
}
