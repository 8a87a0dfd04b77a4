import { toast } from 'sonner'
import { unreadableCodec } from '../../api/codecs'
import { sortFiles } from '../../api/filetypes'
import { clipsText as text } from '../../text/editor/clips'
import { useUploads } from '../state/uploads'

/**
 * Returns the recordings among files that a person dropped or chose. Images are added to the library, because assets can be
 * images, and messages name the files that are neither, and recordings that Roughcut does not read.
 */
export async function takeRecordings(files: readonly File[]): Promise<{ recordings: File[]; images: File[] }> {
  const { recordings: usual, images, others } = sortFiles(files)
  if (others.length > 0)
    toast.error(text.noRecordings(others.map((f) => f.name)), { description: text.recordingTypes, duration: 10_000 })
  if (images.length > 0) {
    useUploads.getState().addAssets(null, images)
    toast(text.imagesAdded(images.map((f) => f.name)), { description: text.imagesPlace, duration: 10_000 })
  }

  const codecs = await Promise.all(usual.map(unreadableCodec))
  usual.forEach((file, i) => {
    const codec = codecs[i]
    if (codec)
      toast.error(text.noRecordings([file.name]), { description: text.unreadableCodec(codec), duration: 10_000 })
  })

  return { recordings: usual.filter((_, i) => !codecs[i]), images }
}
