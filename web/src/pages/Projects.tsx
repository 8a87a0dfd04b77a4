import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useDeferredValue, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { messageOf } from '../api/client'
import { chosenSort, projectsQuery, rememberSort, SORTS, type Sort } from '../api/projects'
import { useSetting } from '../api/settings'
import { ChooseRecordings } from '../editor/clips/ChooseRecordings'
import { commonText } from '../text/common'
import { projectsText } from '../text/projects'
import { Button } from '../ui/Button'
import { DropTarget } from '../ui/DropTarget'
import { Logo } from '../ui/Logo'
import { Notice } from '../ui/Notice'
import { SearchBox } from '../ui/SearchBox'
import { Select } from '../ui/Select'
import { ModelSetup } from './ModelSetup'
import { TranscriptHits } from './TranscriptHits'
import type { Material } from './material'
import { NewProject } from './NewProject'
import { ProjectCard } from './ProjectCard'
import { SeveralRecordings } from './SeveralRecordings'
import { Shell } from './Shell'
import { TrashedProjects } from './TrashedProjects'
import { useCreateFromDrop } from './useCreateFromDrop'

/** The maximum number of event streams on this page, because browsers limit connections per server. */
const FOLLOWED = 2

export function Projects() {
  const [search, setSearch] = useState('')
  const [creating, setCreating] = useState<Material | null>(null)
  const q = useDeferredValue(search.trim())
  const drop = useCreateFromDrop()
  const results = useRef<HTMLElement>(null)
  // The arrow keys move the focus through all results.
  const moveFocus = (event: KeyboardEvent, from: Element | null) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const all = [...(results.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])]
    const at = all.findIndex((e) => e === from)
    if (from && at < 0) return
    event.preventDefault()
    const next = at + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) document.querySelector<HTMLElement>('[role=search] input')?.focus()
    else all[next]?.focus()
  }

  const box = (
    <SearchBox
      label={projectsText.search}
      value={search}
      onChange={setSearch}
      onKeyDown={(e) => e.key === 'ArrowDown' && moveFocus(e, null)}
    />
  )

  return (
    <Shell search={box}>
      <DropTarget
        text={projectsText.drop}
        onFiles={(files) => void drop.receive({ files })}
        onPaths={(paths) => void drop.receive({ files: [], paths })}
        onLink={(link) => setCreating({ files: [], link })}
      >
        <main
          ref={results}
          className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 md:px-6"
          onKeyDown={(e) => moveFocus(e, document.activeElement)}
        >
          <Results
            q={q}
            onCreate={() => setCreating({ files: [] })}
            choose={
              <ChooseRecordings
                label={projectsText.chooseFiles}
                variant="primary"
                onFiles={(files) => void drop.receive({ files })}
                onPaths={(paths) => void drop.receive({ files: [], paths })}
              />
            }
          />
        </main>
      </DropTarget>
      <SeveralRecordings drop={drop} />
      <NewProject material={creating} onClose={() => setCreating(null)} />
    </Shell>
  )
}

interface ResultsProps {
  q: string
  onCreate: () => void
  /** The button that creates a project from recordings. */
  choose: ReactNode
}

function Results({ q, onCreate, choose: chooseFiles }: ResultsProps) {
  const sort = chosenSort(useSetting('projects.sort'))
  const projects = useInfiniteQuery(projectsQuery(q, sort))
  const items = projects.data?.pages.flatMap((page) => page.items) ?? []
  const followed = items.filter((p) => p.status === 'analyzing').slice(0, FOLLOWED)
  if (projects.isError) {
    return (
      <Notice
        tone="danger"
        title={projectsText.listFailed}
        action={
          <Button size="sm" onClick={() => void projects.refetch()}>
            {commonText.tryAgain}
          </Button>
        }
      >
        {messageOf(projects.error)}
      </Notice>
    )
  }

  if (projects.isPending)
    return (
      <Cards heading={projectsText.projects}>
        {Array.from({ length: 6 }, (_, i) => (
          <li key={i} className="skeleton h-44 rounded-xl" />
        ))}
      </Cards>
    )
  if (items.length === 0 && !q)
    return (
      <>
        <Welcome onCreate={onCreate} choose={chooseFiles} />
        <TrashedProjects />
      </>
    )
  return (
    <>
      <Cards
        heading={q ? projectsText.matchingProjects : projectsText.projects}
        action={
          <>
            <Select
              label={projectsText.sortBy}
              bare
              value={sort}
              onChange={(e) => rememberSort(e.target.value as Sort)}
              options={SORTS.map((value) => ({ value, label: projectsText.sorts[value] }))}
              className="w-36"
            />
            <Button onClick={onCreate}>
              <Plus size={16} aria-hidden /> {projectsText.newProject}
            </Button>
            {chooseFiles}
          </>
        }
      >
        {items.map((p) => (
          <ProjectCard key={p.uuid} project={p} followed={followed.includes(p)} />
        ))}
      </Cards>
      {q && items.length === 0 && <p className="text-sm text-muted">{projectsText.noMatches(q)}</p>}
      {projects.hasNextPage && (
        <div className="mt-6 text-center">
          <Button onClick={() => void projects.fetchNextPage()} disabled={projects.isFetchingNextPage}>
            {projectsText.showMore}
          </Button>
        </div>
      )}
      {q.length > 1 && <TranscriptHits q={q} />}
      {!q && <TrashedProjects />}
    </>
  )
}

function Cards({
  heading,
  action,
  children,
}: {
  heading: string
  action?: React.ReactNode
  children: React.ReactNode
}) {
  return (
    <section aria-label={heading}>
      <div className="mb-4 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h1 className="text-lg font-semibold tracking-tight">{heading}</h1>
        {action && <div className="flex flex-wrap items-center gap-2">{action}</div>}
      </div>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(264px,1fr))] gap-4">{children}</ul>
    </section>
  )
}

// Welcome is one large area for the first recording.
function Welcome({ onCreate, choose }: Omit<ResultsProps, 'q'>) {
  return (
    <section className="mx-auto flex max-w-3xl flex-col items-center gap-6">
      <div className="flex min-h-[min(52vh,480px)] w-full flex-col items-center justify-center rounded-2xl border-2 border-dashed border-strong bg-surface p-6 text-center">
        <Logo size={56} />
        <h1 className="mt-6 text-xl font-semibold tracking-tight">{projectsText.welcome}</h1>
        <p className="mt-2 max-w-lg text-base text-muted">{projectsText.welcomeHelp}</p>
        <div className="mt-6 flex flex-wrap justify-center gap-2">
          {choose}
          <Button variant="quiet" onClick={onCreate}>
            {projectsText.newProject}
          </Button>
        </div>
      </div>
      <ModelSetup />
    </section>
  )
}
