import { toast } from 'sonner'
import { recordingsOfFolder } from '../api/filetypes'
import { uiText } from '../text/ui'

/** Returns the files of a drop in their order. A folder stands for its recordings, without those in subfolders. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  // The browser empties the list after the event.
  const dropped = [...(transfer?.items ?? [])]
    .filter((item) => item.kind === 'file')
    .map((item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry() }))

  const files = await Promise.all(
    dropped.map(async ({ file, entry }) => (isFolder(entry) ? recordingsIn(entry) : file ? [file] : [])),
  )

  return files.flat()
}

const isFolder = (entry: FileSystemEntry | null): entry is FileSystemDirectoryEntry => entry?.isDirectory === true
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

async function recordingsIn(folder: FileSystemDirectoryEntry): Promise<File[]> {
  try {
    const entries = (await entriesOf(folder)).filter(isFile)
    const files = await Promise.all(entries.map((e) => new Promise<File>((done, failed) => e.file(done, failed))))
    const recordings = recordingsOfFolder(files)
    if (recordings.length === 0) toast.error(uiText.emptyFolder(folder.name), { description: uiText.emptyFolderHelp })
    return recordings
  } catch (error) {
    const reason = error instanceof Error ? error.message : undefined
    toast.error(uiText.folderNotRead(folder.name), { description: reason })
    return []
  }
}

// entriesOf reads all entries of a folder, which the browser returns in parts until one is empty.
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (part.length === 0) return entries
    entries.push(...part)
  }
}
