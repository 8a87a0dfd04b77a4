import { FileVideo } from 'lucide-react'
import { inWindow } from '../../api/desktop'
import { clipsText as text } from '../../text/editor/clips'
import { WaitingAnalysis } from '../analysis/WaitingAnalysis'
import { ChooseRecordings } from '../clips/ChooseRecordings'
import { AddLink } from '../clips/ClipsPane'
import { UploadRow } from '../clips/UploadRow'
import { useAddRecordings } from '../clips/useAddRecordings'
import { useProjectUploads } from '../state/uploads'

/** The page of a project without clips. */
export function FirstClips({ project }: { project: string }) {
  const uploads = useProjectUploads(project)
  const add = useAddRecordings()
  return (
    <section
      aria-label={text.firstLabel}
      className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto p-6"
    >
      <div className="flex w-full max-w-xl flex-col items-center rounded-xl border-2 border-dashed border-strong bg-surface px-8 py-10 text-center">
        <span className="inline-flex size-14 items-center justify-center rounded-xl bg-accent-soft text-accent">
          <FileVideo size={28} aria-hidden />
        </span>
        <h1 className="mt-4 text-lg font-semibold tracking-tight">{text.firstTitle}</h1>
        <p className="mt-1 max-w-md text-sm text-muted">{text.firstDetail}</p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <ChooseRecordings label={text.chooseFiles} variant="primary" size="lg" {...add} />
          <AddLink size="lg" />
        </div>
        {uploads.length > 0 && (
          <ul className="mt-6 w-full text-left" aria-label={text.uploads}>
            {uploads.map((u) => (
              <UploadRow key={u.id} upload={u} />
            ))}
          </ul>
        )}
        <WaitingAnalysis />
      </div>
      <p className="mt-4 max-w-xl text-center text-xs text-faint">{inWindow() ? text.linkedPrivacy : text.privacy}</p>
    </section>
  )
}
