import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { importClip } from '../api/clips'
import { fileName } from '../api/desktop'
import { createProject } from '../api/projects'
import { queueAnalysis } from '../editor/state/analysisQueue'
import { takeRecordings } from '../editor/clips/droppedFiles'
import { addLinkedFiles } from '../editor/clips/linkedFiles'
import { useUploads } from '../editor/state/uploads'
import { commonText } from '../text/common'
import { projectsText } from '../text/projects'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { useOpenProject, useRefreshProjects } from './projectHooks'
import { useSubmit } from './useSubmit'

/** The recordings for a new project. */
export interface Material {
  /** Files to upload. */
  files: File[]
  /** Paths of linked files. */
  paths?: string[]
  /** The URL of a recording to import. */
  link?: string
}

/** The maximum length of a project name. */
const MAX_NAME = 200

const withoutExtension = (name: string) =>
  name
    .replace(/\.[^.]+$/, '')
    .replaceAll('_', ' ')
    .trim()

function nameOf({ files, paths, link }: Material): string {
  if (files[0]) return withoutExtension(files[0].name)
  if (paths?.[0]) return withoutExtension(fileName(paths[0]))
  if (!link || !URL.canParse(link)) return ''
  const { pathname, hostname } = new URL(link)
  return withoutExtension(pathname.split('/').findLast(Boolean) ?? '') || hostname
}

function describeMaterial({ files, paths = [], link }: Material): string {
  if (paths.length > 0) return projectsText.withPaths(paths.length)
  if (files.length > 0) return projectsText.withFiles(files.length)
  if (link) return projectsText.withLink
  return projectsText.projectPurpose
}

/** Returns a function that creates a project from dropped recordings, names it after the first, and queues its analysis. */
export function useCreateFromDrop(): (material: Material) => Promise<void> {
  const refresh = useRefreshProjects()
  const openProject = useOpenProject()
  return async (dropped) => {
    const material = { ...dropped, files: (await takeRecordings(dropped.files)).recordings }
    if (material.files.length === 0 && !material.paths?.length) return
    try {
      const project = await createProject(nameOf(material).slice(0, MAX_NAME) || projectsText.untitled)
      useUploads.getState().add(project.uuid, material.files)
      void addLinkedFiles(project.uuid, material.paths ?? []).then(() => queueAnalysis(project.uuid))
      void refresh()
      openProject(project.uuid)
    } catch (error) {
      toast.error(projectsText.createFailed, { description: messageOf(error) })
    }
  }
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
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{commonText.cancel}</Button>
        <Button variant="primary" type="submit" disabled={form.busy}>
          {projectsText.createProject}
        </Button>
      </div>
    </form>
  )
}
