import { count } from '../editor/format'
import { fileName } from '../api/desktop'
import { createProject } from '../api/projects'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { addReferences } from '../editor/references'
import { useUploads } from '../editor/uploads'
import { useOpenProject, useRefreshProjects } from './Projects'
import { useSubmit } from './useSubmit'

interface NewProjectProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Files that were dropped and become the first clips. */
  files: File[]
  /** Paths of files that were handed to the desktop window and become the first clips. */
  paths: string[]
}

const nameOf = (file: string | undefined) => (file !== undefined ? file.replace(/\.[^.]+$/, '').replaceAll('_', ' ') : '')

export function NewProject({ open, onOpenChange, files, paths }: NewProjectProps) {
  const names = [...files.map((f) => f.name), ...paths.map(fileName)]
  const refresh = useRefreshProjects()
  const openProject = useOpenProject()
  const form = useSubmit(async (v) => {
    const project = await createProject((v['name'] ?? '').trim())
    useUploads.getState().add(project.uuid, files)
    void addReferences(project.uuid, paths)
    void refresh()
    onOpenChange(false)
    openProject(project.uuid)
  })
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="New project" description={names.length > 0 ? `${count(names.length, 'file')} will be added to it.` : 'A project holds one video: one recording, or several that belong together.'}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-6">
        <Field label="Name" name="name" defaultValue={nameOf(names[0])} placeholder="Talk about autumn gardens" required maxLength={200} autoFocus error={form.fields['name'] ?? form.message ?? undefined} />
        <div className="flex justify-end gap-2">
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button look="primary" type="submit" disabled={form.busy}>
            Create project
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
