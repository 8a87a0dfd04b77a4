import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { importClip } from '../api/clips'
import { fileName } from '../api/desktop'
import { createProject } from '../api/projects'
import { count } from '../editor/format'
import { addReferences } from '../editor/references'
import { useUploads } from '../editor/uploads'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { useOpenProject, useRefreshProjects } from './projectHooks'
import { useSubmit } from './useSubmit'

/** What a new project begins with. */
export interface Material {
  /** They become its first clips. */
  files: File[]
  /** Recordings that stay where they are and become its first clips. */
  paths?: string[]
  /** The address of a recording that becomes one. */
  link?: string
}

const withoutExtension = (name: string) => name.replace(/\.[^.]+$/, '').replaceAll('_', ' ')

function nameOf({ files, paths, link }: Material): string {
  if (files[0]) return withoutExtension(files[0].name)
  if (paths?.[0]) return withoutExtension(fileName(paths[0]))
  if (!link || !URL.canParse(link)) return ''
  const { pathname, hostname } = new URL(link)
  return withoutExtension(pathname.split('/').findLast(Boolean) ?? '') || hostname
}

function describe({ files, paths = [], link }: Material): string {
  if (paths.length > 0)
    return `${count(paths.length, 'recording')} will be added to it, and ${paths.length > 1 ? 'stay where they are' : 'stays where it is'}.`
  if (files.length > 0) return `${count(files.length, 'file')} will be added to it.`
  if (link) return 'The recording at the link will be downloaded into it.'
  return 'A project holds one video: one recording, or several that belong together.'
}

/** Asks for the name of a new project; open while there is something, or nothing, to begin with. */
export function NewProject({ material, onClose }: { material: Material | null; onClose: () => void }) {
  return (
    <Dialog
      open={material !== null}
      onOpenChange={(open) => !open && onClose()}
      title="New project"
      description={describe(material ?? { files: [] })}
    >
      {material && <Form material={material} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ material, onClose }: { material: Material; onClose: () => void }) {
  const refresh = useRefreshProjects()
  const openProject = useOpenProject()
  const form = useSubmit(async (v) => {
    const project = await createProject((v['name'] ?? '').trim())
    useUploads.getState().add(project.uuid, material.files)
    void addReferences(project.uuid, material.paths ?? [])
    if (material.link)
      await importClip(project.uuid, material.link).catch((error: unknown) =>
        toast.error('The recording at the link was not added', { description: messageOf(error) }),
      )
    void refresh()
    onClose()
    openProject(project.uuid)
  })
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-6">
      <Field
        label="Name"
        name="name"
        defaultValue={nameOf(material)}
        placeholder="Talk about autumn gardens"
        required
        maxLength={200}
        autoFocus
        error={form.fields['name'] ?? form.message ?? undefined}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" type="submit" disabled={form.busy}>
          Create project
        </Button>
      </div>
    </form>
  )
}
