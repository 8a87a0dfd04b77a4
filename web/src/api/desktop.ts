import { api, dataOf } from './client'
import type { ExportSettings, StillType } from './exports'
import { tabStorage } from './storage'

// The desktop window identifies itself in the URL that it opens. The server decides what the window may do.
const KEPT = 'roughcut-window'

/** Events that the window fires when files were opened with it, and when something was dropped on the page. */
export const HANDED_EVENT = 'roughcut-files'
export const DROPPED_EVENT = 'roughcut-dropped'

/** Reports whether this page runs in the desktop window. */
export const inWindow = (): boolean => tabStorage.getItem(KEPT) === 'desktop'

/** Stores the window parameter of the first URL for this session and removes it from the URL. */
export function noteWindow(address: URL): void {
  const window = address.searchParams.get('window')
  if (!window) return
  tabStorage.setItem(KEPT, window)
  address.searchParams.delete('window')
}

/** Opens the native file dialog. Returns no paths if the user cancels it. */
export const chooseFiles = async (): Promise<string[]> => (await dataOf(api.POST('/api/v1/desktop/choose-files'))).paths

/** Returns the paths of files that were dropped on the window or opened with it since the last call. */
export const takeFiles = async (): Promise<string[]> => (await dataOf(api.POST('/api/v1/desktop/take-files'))).paths

/** Copies a file into the library. */
export const addAssetFile = (path: string) => dataOf(api.POST('/api/v1/desktop/assets', { body: { path } }))

/** Adds a linked file as a clip. */
export const linkClip = (project: string, path: string) =>
  dataOf(
    api.POST('/api/v1/projects/{project_uuid}/clips/reference', {
      params: { path: { project_uuid: project } },
      body: { path },
    }),
  )

/** Sets the new path of a clip's linked file. */
export const relinkClip = (clip: string, path: string) =>
  dataOf(api.POST('/api/v1/clips/{clip_uuid}/relink', { params: { path: { clip_uuid: clip } }, body: { path } }))

/** Saves an export with the native file dialog. Returns its path, or null if the user cancels. */
export const saveExport = async (uuid: string): Promise<string | null> =>
  (await dataOf(api.POST('/api/v1/exports/{export_uuid}/save', { params: { path: { export_uuid: uuid } } }))).path

/** Saves the frame at a time with the native file dialog. Returns its path, or null if the user cancels. */
export const saveStillFile = async (
  project: string,
  atMs: number,
  export_settings: ExportSettings,
  type: StillType,
): Promise<string | null> =>
  (
    await dataOf(
      api.POST('/api/v1/projects/{project_uuid}/still/save', {
        params: { path: { project_uuid: project } },
        body: { at_ms: Math.round(atMs), type, export_settings },
      }),
    )
  ).path

/** Shows the saved file of an export in the file manager. */
export const showSavedExport = (uuid: string) =>
  dataOf(api.POST('/api/v1/exports/{export_uuid}/show', { params: { path: { export_uuid: uuid } } }))
