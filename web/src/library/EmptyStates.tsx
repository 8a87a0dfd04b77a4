import { Images, SearchX } from 'lucide-react'
import { libraryText } from '../text/library'
import { Button } from '../ui/Button'
import { Upload } from './Toolbar'

/** The empty state of the library or a group: its purpose, and how to add assets. */
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
          {inGroup ? libraryText.emptyGroupTitle : libraryText.emptyTitle}
        </h2>
        <p className="mt-1 text-sm text-muted">{inGroup ? libraryText.emptyGroupHelp : libraryText.emptyHelp}</p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          <Upload onFiles={onFiles} size="lg" />
          <Button size="lg" onClick={onLink}>
            {libraryText.fromLink}
          </Button>
        </div>
      </div>
    </div>
  )
}

/** The empty state when no asset matches the filter. */
export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
      <SearchX size={32} className="text-faint" aria-hidden />
      <p className="text-sm text-muted">{libraryText.nothingFound}</p>
      <Button onClick={onClear}>{libraryText.showAll}</Button>
    </div>
  )
}
