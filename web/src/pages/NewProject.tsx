import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { importClip } from '../api/clips'
import { createProject } from '../api/projects'
import { addLinkedFiles } from '../editor/clips/linkedFiles'
import { useUploads } from '../editor/state/uploads'
import { commonText } from '../text/common'
import { projectsText } from '../text/projects'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { FormActions } from '../ui/FormActions'
import { useOpenProject, useRefreshProjects } from './projectHooks'
import { MAX_NAME, nameOf, type Material } from './material'
import { useSubmit } from '../ui/useSubmit'

function describeMaterial({ files, paths = [], link }: Material): string {
  if (paths.length > 0) return projectsText.withPaths(paths.length)
  if (files.length > 0) return projectsText.withFiles(files.length)
  if (link) return projectsText.withLink
  return projectsText.projectPurpose
}

/** Asks for the name of a new project; closed while `material` is null. */
export function NewProject({ material, onClose }: { material: Material | null; onClose: () => void }) {
  return (
    <Dialog
      open={material !== null}
      onOpenChange={(open) => !open && onClose()}
      title={projectsText.newProject}
      description={describeMaterial(material ?? { files: [] })}
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
    void addLinkedFiles(project.uuid, material.paths ?? [])
    if (material.link)
      await importClip(project.uuid, material.link).catch((error: unknown) =>
        toast.error(projectsText.linkNotAdded, { description: messageOf(error) }),
      )
    void refresh()
    onClose()
    openProject(project.uuid)
  })

  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-6">
      <Field
        label={commonText.name}
        name="name"
        defaultValue={nameOf(material)}
        placeholder={projectsText.namePlaceholder}
        required
        maxLength={MAX_NAME}
        autoFocus
        error={form.fields['name'] ?? form.message ?? undefined}
      />
      <FormActions action={projectsText.createProject} disabled={form.busy} onCancel={onClose} />
    </form>
  )
}
