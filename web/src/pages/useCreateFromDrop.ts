import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { createProject, rememberSeveral, SEVERAL, type Several } from '../api/projects'
import { takeRecordings } from '../editor/clips/droppedFiles'
import { addLinkedFiles } from '../editor/clips/linkedFiles'
import { queueAnalysis } from '../editor/state/analysisQueue'
import { useUploads } from '../editor/state/uploads'
import { projectsText as text } from '../text/projects'
import { fileNames, namesOf, oneByOne, type Material } from './material'
import { useOpenProject, useRefreshProjects } from './projectHooks'

/** What dropped recordings become: clips of the open project, or new projects. */
export type Destination = 'here' | Several

/** What becomes of dropped recordings. */
export interface Drop {
  /** Receives dropped or chosen recordings. Recordings with more than one possible destination wait for a choice. */
  receive: (dropped: Material) => Promise<void>
  /** The recordings that wait for a choice; null without any. */
  waiting: Material | null
  destinations: readonly Destination[]
  choose: (destination: Destination) => void
  cancel: () => void
}

/**
 * Creates projects from dropped recordings and queues their analyses. A single project opens, and several show in the
 * list of projects. `add`, if given, adds linked files to the open project.
 */
export function useCreateFromDrop(add?: (paths: string[]) => void): Drop {
  const [waiting, setWaiting] = useState<Material | null>(null)
  const refresh = useRefreshProjects()
  const openProject = useOpenProject()
  const navigate = useNavigate()
  const several = waiting !== null && fileNames(waiting).length > 1
  const create = async (materials: readonly Material[]) => {
    const made = await createAll(materials)
    void refresh()
    if (materials.length === 1 && made[0]) openProject(made[0])
    else if (add) void navigate({ to: '/' })
  }

  return {
    receive: async (dropped) => {
      const material = { ...dropped, files: (await takeRecordings(dropped.files)).recordings }
      const count = fileNames(material).length
      if (count > 1 || (count === 1 && add)) setWaiting(material)
      else if (count === 1) await create([material])
    },
    waiting,
    destinations: [...(add ? (['here'] as const) : []), ...(several ? SEVERAL : (['one'] as const))],
    choose: (destination) => {
      if (!waiting) return
      setWaiting(null)
      if (destination === 'here') return add?.(waiting.paths ?? [])
      if (several) rememberSeveral(destination)
      void create(destination === 'each' ? oneByOne(waiting) : [waiting])
    },
    cancel: () => setWaiting(null),
  }
}

// createAll creates the projects one after the other and returns their UUIDs. The first failure ends it with a message.
async function createAll(materials: readonly Material[]): Promise<string[]> {
  const names = namesOf(materials, text.untitled)
  const made: string[] = []
  for (const [i, { files, paths = [] }] of materials.entries()) {
    try {
      const { uuid } = await createProject(names[i] ?? text.untitled)
      made.push(uuid)
      useUploads.getState().add(uuid, files)
      void addLinkedFiles(uuid, paths).then(() => queueAnalysis(uuid))
    } catch (error) {
      toast.error(text.createFailedFor(names.slice(i)), { description: messageOf(error) })
      break
    }
  }

  return made
}
