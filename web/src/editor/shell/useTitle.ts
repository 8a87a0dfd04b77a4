import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { exportsQuery, isUnderWay } from '../../api/exports'
import { commonText } from '../../text/common'
import { wholePercent } from '../../text/format'
import { shellText } from '../../text/editor/shell'
import { useProjectUploads } from '../state/uploads'
import { useProject } from '../state/contexts'
import { useLive } from '../state/store'

/** Puts the project name and the progress of the current work into the title of the page. */
export function useTitle(): void {
  const { project } = useProject()
  const activity = useActivity()
  const name = commonText.documentTitle(project.name)
  useEffect(() => {
    document.title = activity ? `${activity} · ${name}` : name
  }, [activity, name])

  useEffect(
    () => () => {
      document.title = commonText.appName
    },
    [],
  )
}

// useActivity describes the work that the person waits for, with its progress; null without work.
function useActivity(): string | null {
  const { project, clips } = useProject()
  const uploads = useProjectUploads(project.uuid).filter((u) => u.status !== 'failed')
  const analysis = useLive((s) => s.analysis)
  const live = useLive((s) => s.clips)
  const rendering = useQuery(exportsQuery(project.uuid)).data?.find(isUnderWay)
  if (uploads.length > 0) {
    const sum = (of: (u: (typeof uploads)[number]) => number) => uploads.reduce((n, u) => n + of(u), 0)
    return shellText.titleUploading(
      wholePercent(
        sum((u) => u.sent),
        sum((u) => u.file.size),
      ),
    )
  }

  const reading = clips.filter((c) => c.status === 'processing')
  if (reading.length > 0) {
    const done = reading.reduce((n, c) => n + (live[c.uuid]?.progress ?? 0), 0)
    return shellText.titleReading(done / reading.length)
  }

  if (project.status === 'analyzing') return shellText.titleAnalyzing(analysis?.progress ?? 0)
  return rendering ? shellText.titleExporting(rendering.progress) : null
}
