import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { clipsQuery, importClip } from '../api/clips'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { useEditorStore } from './store'

/** Asks for the address of a recording; open while the editor's store holds one to begin with. */
export function ImportDialog({ project }: { project: string }) {
  const importing = useEditorStore((s) => s.importing)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog
      open={importing !== null}
      onOpenChange={(open) => set({ importing: open ? '' : null })}
      title="Add a clip from a link"
      description="Roughcut downloads the recording for you. Links to video files work as they are; pages of video sites need yt-dlp on the server."
    >
      <Form key={importing} project={project} address={importing ?? ''} onDone={() => set({ importing: null, leftTab: 'clips' })} />
    </Dialog>
  )
}

function Form({ project, address, onDone }: { project: string; address: string; onDone: () => void }) {
  const queryClient = useQueryClient()
  const [url, setURL] = useState(address)
  const start = useMutation({
    mutationFn: () => importClip(project, url.trim()),
    onSuccess: (clip) => {
      queryClient.setQueryData(clipsQuery(project).queryKey, (list) => list && [...list.filter((c) => c.uuid !== clip.uuid), clip])
      void queryClient.invalidateQueries({ queryKey: ['project', project] })
      onDone()
    },
  })
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(e) => {
        e.preventDefault()
        start.mutate()
      }}
    >
      <Field
        label="Link"
        type="url"
        inputMode="url"
        value={url}
        onChange={(e) => {
          setURL(e.target.value)
          start.reset()
        }}
        placeholder="https://example.org/talk.mp4"
        maxLength={4096}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        readOnly={start.isPending}
        error={start.isError ? messageOf(start.error) : undefined}
      />
      <div className="flex justify-end">
        <Button type="submit" look="primary" size="lg" disabled={start.isPending}>
          {start.isPending ? 'Looking at it…' : 'Add clip'}
        </Button>
      </div>
    </form>
  )
}
