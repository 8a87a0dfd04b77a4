import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { addModel, modelsQuery } from '../api/models'
import { bytes } from '../text/format'
import { modelsText as text } from '../text/models'
import { Button } from '../ui/Button'
import { FileButton } from '../ui/FileButton'
import { Progress } from '../ui/Progress'

/** Adds a speech model from a file of this computer and shows the progress of the upload. */
export function AddModel() {
  const queryClient = useQueryClient()
  const [sent, setSent] = useState(0)
  const upload = useRef<AbortController>(null)
  const add = useMutation({
    mutationFn: (file: File) => {
      upload.current = new AbortController()
      setSent(0)
      return addModel(file, upload.current.signal, setSent)
    },
    onSuccess: (name) => toast.success(text.added(name)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey }),
  })

  const file = add.variables
  if (add.isPending && file) {
    return (
      <div className="flex items-center gap-4">
        <div className="min-w-0 flex-1">
          <p className="mb-1.5 flex justify-between gap-4 text-xs text-muted">
            <bdi className="truncate">{text.adding(file.name)}</bdi>
            <span className="shrink-0">
              {sent < file.size ? text.received(bytes(sent), bytes(file.size)) : text.checking}
            </span>
          </p>
          <Progress value={(100 * sent) / Math.max(file.size, 1)} label={text.adding(file.name)} />
        </div>
        <Button size="sm" onClick={() => upload.current?.abort()}>
          {text.cancelAdding}
        </Button>
      </div>
    )
  }

  const failed = add.error && !(add.error instanceof DOMException)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FileButton
          label={text.chooseFile}
          fieldLabel={text.fileToAdd}
          accept=".bin"
          size="sm"
          onFiles={([chosen]) => chosen && add.mutate(chosen)}
        />
        <p className="min-w-0 flex-1 basis-60 text-xs text-muted">{text.fileHelp}</p>
      </div>
      {failed && (
        <p className="mt-2 text-sm text-danger" role="alert">
          {messageOf(add.error)}
        </p>
      )}
    </>
  )
}
