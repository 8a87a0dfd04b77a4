import { Images, SearchX } from 'lucide-react'
import { Button } from '../ui/Button'
import { Upload } from './Toolbar'

/** What an empty library or group shows: what it is for, and how something comes in. */
export function EmptyLibrary({
  inGroup,
  onFiles,
  onLink,
}: {
  inGroup: boolean
  onFiles: (files: File[]) => void
  onLink: () => void
}) {
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center overflow-y-auto p-6">
      <div className="flex max-w-lg flex-col items-center rounded-xl border-2 border-dashed border-strong bg-surface px-8 py-10 text-center">
        <span className="inline-flex size-14 items-center justify-center rounded-xl bg-accent-soft text-accent">
          <Images size={28} aria-hidden />
        </span>
        <h2 className="mt-4 text-lg font-semibold tracking-tight">
          {inGroup ? 'Nothing is in this group yet' : 'Drop images, videos and sound here'}
        </h2>
        <p className="mt-1 text-sm text-muted">
          {inGroup
            ? 'Drop files here, or go to all assets and drag some onto the group.'
            : 'What you show over a recording more than once: logos, pictures, b-roll, music. It is kept here, ready to be placed in every project.'}
        </p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <Upload onFiles={onFiles} size="lg" />
          <Button size="lg" onClick={onLink}>
            From a link
          </Button>
        </div>
      </div>
    </div>
  )
}

/** What is shown when a filter lets nothing through. */
export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <SearchX size={32} className="text-faint" aria-hidden />
      <p className="text-sm text-muted">No asset fits. The search looks at names and tags.</p>
      <Button onClick={onClear}>Show all of them</Button>
    </div>
  )
}
