import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus, Search, X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { messageOf } from '../api/client'
import { inWindow } from '../api/desktop'
import { momentsQuery, projectsQuery } from '../api/projects'
import { sessionQuery } from '../api/session'
import { useHandedFiles } from '../editor/useHandedFiles'
import { Button } from '../ui/Button'
import { inputLook } from '../ui/Field'
import { Logo } from '../ui/Logo'
import { Notice } from '../ui/Notice'
import { ThemeButton } from '../ui/ThemeButton'
import { AccountMenu } from './AccountMenu'
import { Moments } from './Moments'
import { NewProject } from './NewProject'
import { ProjectCard } from './ProjectCard'

export function Projects() {
  const [search, setSearch] = useState('')
  const [creating, setCreating] = useState(false)
  const [dropped, setDropped] = useState<File[]>([])
  const q = useDeferredValue(search.trim())
  const user = useQuery(sessionQuery).data
  const [handed, setHanded] = useState<string[]>([])
  const create = (files: File[] = [], paths: string[] = []) => {
    setDropped(files)
    setHanded(paths)
    setCreating(true)
  }
  useHandedFiles((paths) => create([], paths))
  return (
    <div
      className="flex min-h-full flex-col bg-canvas"
      onDragOver={(e) => e.dataTransfer.types.includes('Files') && e.preventDefault()}
      onDrop={(e) => {
        if (e.dataTransfer.files.length === 0) return
        e.preventDefault()
        if (!inWindow()) create([...e.dataTransfer.files])
      }}
    >
      <header className="sticky top-0 z-10 flex h-14 items-center gap-4 border-b border-line bg-surface px-6">
        <div className="flex items-center gap-2 font-semibold tracking-tight">
          <Logo /> Roughcut
        </div>
        <SearchBox value={search} onChange={setSearch} />
        <div className="ml-auto flex items-center gap-1">
          <ThemeButton />
          {user && <AccountMenu user={user} />}
        </div>
      </header>
      <main className="mx-auto w-full max-w-6xl flex-1 px-6 py-8">
        <Results q={q} onCreate={() => create()} />
      </main>
      <NewProject open={creating} onOpenChange={setCreating} files={dropped} paths={handed} />
    </div>
  )
}

function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <div className="relative w-full max-w-md" role="search">
      <Search size={16} className="pointer-events-none absolute top-2 left-2.5 text-faint" aria-hidden />
      <input
        aria-label="Search projects and what is said in them"
        placeholder="Search projects and what is said in them"
        value={value}
        onChange={(e) => onChange(e.target.value)}
        onKeyDown={(e) => e.key === 'Escape' && onChange('')}
        className={`${inputLook} h-8 pr-8 pl-8`}
      />
      {value && (
        <button type="button" aria-label="Clear the search" onClick={() => onChange('')} className="absolute top-1 right-1 inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink">
          <X size={14} />
        </button>
      )}
    </div>
  )
}

function Results({ q, onCreate }: { q: string; onCreate: () => void }) {
  const projects = useInfiniteQuery(projectsQuery(q))
  const moments = useQuery(momentsQuery(q))
  const items = projects.data?.pages.flatMap((page) => page.items) ?? []
  const hits = q.length > 1 ? (moments.data?.items ?? []) : []

  if (projects.isError) {
    return (
      <Notice tone="danger" title="Your projects could not be listed" action={<Button size="sm" onClick={() => void projects.refetch()}>Try again</Button>}>
        {messageOf(projects.error)}
      </Notice>
    )
  }
  if (projects.isPending) return <Cards heading="Projects">{Array.from({ length: 6 }, (_, i) => <div key={i} className="skeleton h-44 !rounded-xl" />)}</Cards>
  if (items.length === 0 && !q) return <FirstProject onCreate={onCreate} />
  return (
    <>
      <Cards
        heading={q ? 'Projects by name' : 'Projects'}
        action={<Button look="primary" onClick={onCreate}><Plus size={16} aria-hidden /> New project</Button>}
      >
        {items.map((p) => <ProjectCard key={p.uuid} project={p} />)}
      </Cards>
      {q && items.length === 0 && <p className="text-sm text-muted">No project has “{q}” in its name.</p>}
      {projects.hasNextPage && (
        <div className="mt-6 text-center">
          <Button onClick={() => void projects.fetchNextPage()} disabled={projects.isFetchingNextPage}>
            Show more
          </Button>
        </div>
      )}
      {q.length > 1 && <Moments q={q} hits={hits} pending={moments.isPending} error={moments.error} />}
    </>
  )
}

function Cards({ heading, action, children }: { heading: string; action?: React.ReactNode; children: React.ReactNode }) {
  return (
    <section aria-label={heading}>
      <div className="mb-4 flex h-8 items-center justify-between">
        <h1 className="text-lg font-semibold tracking-tight">{heading}</h1>
        {action}
      </div>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(264px,1fr))] gap-4">{children}</ul>
    </section>
  )
}

const STEPS = [
  ['Drop a recording', 'One file or several: they are joined in order. The original is never changed.'],
  ['See every proposed cut', 'Silences and false starts, each with its reason. One key rejects what you want to keep.'],
  ['Export', 'What you saw is what is rendered, frame by frame. Nothing leaves this machine.'],
] as const

function FirstProject({ onCreate }: { onCreate: () => void }) {
  return (
    <section className="mx-auto flex max-w-3xl flex-col items-center py-12 text-center">
      <Logo size={64} />
      <h1 className="mt-6 text-xl font-semibold tracking-tight">The dull half of your recording, gone in minutes</h1>
      <p className="mt-2 max-w-lg text-base text-muted">Make a project, drop what you recorded, and look through the cuts that Roughcut proposes. You can also drop files right here.</p>
      <Button look="primary" size="lg" className="mt-6" onClick={onCreate}>
        <Plus size={16} aria-hidden /> New project
      </Button>
      <ol className="mt-12 grid w-full gap-4 text-left sm:grid-cols-3">
        {STEPS.map(([title, text], i) => (
          <li key={title} className="rounded-xl border border-line bg-surface p-4">
            <span className="inline-flex size-6 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">{i + 1}</span>
            <h2 className="mt-3 text-sm font-semibold">{title}</h2>
            <p className="mt-1 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Forgets every list of projects, so that it is fetched anew. */
export function useRefreshProjects(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: ['projects'] })
}

/** Goes to a project, at a moment of it where one is given. */
export function useOpenProject(): (uuid: string, at?: number) => void {
  const navigate = useNavigate()
  return (uuid, at) => void navigate({ to: '/projects/$uuid', params: { uuid }, search: { at } })
}
