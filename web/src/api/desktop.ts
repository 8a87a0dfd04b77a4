import { answer, api } from './client'

// The desktop window names itself in the address that it opens; what it may do is decided by the server.
const KEPT = 'roughcut-window'

/** The events with which the window says that files were handed to it, and that something was dropped on the page. */
export const HANDED_EVENT = 'roughcut-files'
export const DROPPED_EVENT = 'roughcut-dropped'

/** Whether this page is shown in the desktop window. */
export const inWindow = (): boolean => sessionStorage.getItem(KEPT) === 'desktop'

/** Remembers what the address of the first page said about the window, and takes it out of the address. */
export function noteWindow(address: URL): void {
  const window = address.searchParams.get('window')
  if (!window) return
  sessionStorage.setItem(KEPT, window)
  address.searchParams.delete('window')
}

/** Opens the desktop's dialog for recordings; no paths where the person thought better of it. */
export const chooseFiles = async (): Promise<string[]> => (await answer(api.POST('/api/v1/desktop/choose-files'))).paths

/** The files that were dropped on the window or named at its start, since this was last asked. */
export const takeFiles = async (): Promise<string[]> => (await answer(api.POST('/api/v1/desktop/take-files'))).paths

/** Makes a clip of a recording that stays where it is. */
export const linkClip = (project: string, path: string) =>
  answer(
    api.POST('/api/v1/projects/{project_uuid}/clips/reference', {
      params: { path: { project_uuid: project } },
      body: { path },
    }),
  )

/** Says where the recording of a clip is now. */
export const relinkClip = (clip: string, path: string) =>
  answer(api.POST('/api/v1/clips/{clip_uuid}/relink', { params: { path: { clip_uuid: clip } }, body: { path } }))

/** Saves a video where the person wants it, and says where that is; null where they thought better of it. */
export const saveExport = async (uuid: string): Promise<string | null> =>
  (await answer(api.POST('/api/v1/exports/{export_uuid}/save', { params: { path: { export_uuid: uuid } } }))).path

/** The last part of a path, with whichever separator. */
export const fileName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
