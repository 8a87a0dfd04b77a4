import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { chooseFiles, inWindow } from '../../api/desktop'
import { RECORDINGS } from '../../api/filetypes'
import { clipsText as text } from '../../text/editor/clips'
import { Button } from '../../ui/Button'
import { FileButton } from '../../ui/FileButton'

interface ChooseRecordingsProps {
  label: string
  /** Receives files to upload. */
  onFiles: (files: File[]) => void
  /** Receives the paths of linked files, in the desktop window. */
  onPaths: (paths: string[]) => void
  variant?: 'primary' | 'plain'
  size?: 'sm' | 'md' | 'lg'
}

/** A button that lets the person choose recordings. */
export function ChooseRecordings({ onFiles, onPaths, ...look }: ChooseRecordingsProps) {
  if (inWindow()) return <ChoosePaths onPaths={onPaths} {...look} />
  return <FileButton fieldLabel={text.filesToAdd} accept={RECORDINGS} onFiles={onFiles} {...look} />
}

function ChoosePaths({ label, onPaths, variant = 'plain', size = 'md' }: Omit<ChooseRecordingsProps, 'onFiles'>) {
  const choose = useMutation({
    mutationFn: chooseFiles,
    onSuccess: (paths) => paths.length > 0 && onPaths(paths),
    onError: (error) => toast.error(text.addFailed, { description: messageOf(error) }),
  })

  return (
    <Button variant={variant} size={size} disabled={choose.isPending} onClick={() => choose.mutate()}>
      <Plus size={16} aria-hidden /> {label}
    </Button>
  )
}
