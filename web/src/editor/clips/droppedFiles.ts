import { toast } from 'sonner'
import { sortFiles } from '../../api/filetypes'
import { clipsText as text } from '../../text/editor/clips'
import { useUploads } from '../state/uploads'

/**
 * Returns the recordings among files that a person dropped or chose. Images are added to the library, because assets can be
 * images, and a message names the files that are neither.
 */
export function takeRecordings(files: readonly File[]): { recordings: File[]; images: File[] } {
  const { recordings, images, others } = sortFiles(files)
  if (others.length > 0)
    toast.error(text.noRecordings(others.map((f) => f.name)), { description: text.recordingTypes, duration: 10_000 })
  if (images.length > 0) {
    useUploads.getState().addAssets(null, images)
    toast(text.imagesAdded(images.map((f) => f.name)), { description: text.imagesPlace, duration: 10_000 })
  }

  return { recordings, images }
}
