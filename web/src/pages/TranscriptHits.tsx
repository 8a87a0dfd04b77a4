import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Images } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/client'
import { searchQuery, type Hit } from '../api/projects'
import { timecode } from '../editor/plan/timecode'
import { projectsText } from '../text/projects'
import { Button } from '../ui/Button'
import { byProject, partsOf, type Found } from './transcriptHits'

/** The number of matches per project that show at first. */
const FIRST = 4

/** The maximum number of assets to show. */
const ASSETS = 8

/** Search results in transcripts, grouped by project, and in the library. */
export function TranscriptHits({ q }: { q: string }) {
  const matches = useQuery(searchQuery(q, 'transcript'))
  const found = byProject(matches.data ?? [])
  return (
    <>
      <section className="mt-8" aria-label={projectsText.transcripts}>
        <h2 className="mb-3 flex items-baseline gap-2 text-lg font-semibold tracking-tight">
          {projectsText.transcripts}
          {found.length > 0 && (
            <span className="text-sm font-normal text-faint" role="status">
              {projectsText.found(matches.data?.length ?? 0, found.length)}
            </span>
          )}
        </h2>
        {matches.error ? (
          <p className="text-sm text-danger">{messageOf(matches.error)}</p>
        ) : matches.isPending ? (
          <div className="skeleton h-24" />
        ) : found.length === 0 ? (
          <p className="text-sm text-muted">{projectsText.noTranscripts(q)}</p>
        ) : (
          <div className="flex flex-col gap-4">
            {found.map((f) => (
              <InProject key={f.project} found={f} />
            ))}
          </div>
        )}
      </section>
      <AssetHits q={q} />
    </>
  )
}

function InProject({ found: { project, name, hits } }: { found: Found }) {
  const [all, setAll] = useState(false)
  return (
    <section aria-label={name} className="overflow-hidden rounded-xl border border-line bg-surface">
      <h3 className="flex items-baseline gap-2 border-b border-line px-4 py-2 text-sm font-semibold">
        <span className="truncate">{name}</span>
        <span className="text-xs font-normal text-faint">{projectsText.moments(hits.length)}</span>
      </h3>
      <ul className="py-1">
        {hits.slice(0, all ? hits.length : FIRST).map((hit, i) => (
          <Moment key={i} hit={hit} project={project} />
        ))}
      </ul>
      {!all && hits.length > FIRST && (
        <Button size="sm" variant="quiet" className="mx-3 mb-2" onClick={() => setAll(true)}>
          {projectsText.showMoreMoments(hits.length - FIRST)}
        </Button>
      )}
    </section>
  )
}

function Moment({ hit, project }: { hit: Hit; project: string }) {
  return (
    <li>
      <Link
        to="/projects/$uuid"
        params={{ uuid: project }}
        search={{ at: hit.start_ms ?? undefined }}
        data-result
        className="flex items-baseline gap-4 px-4 py-1.5 hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2"
      >
        <span className="w-16 shrink-0 text-right text-xs text-accent">{timecode(hit.start_ms ?? 0)}</span>
        <span className="min-w-0 flex-1 text-sm">
          <Fragment text={hit.fragment} />
        </span>
      </Link>
    </li>
  )
}

function AssetHits({ q }: { q: string }) {
  const hits = useQuery(searchQuery(q, 'asset')).data ?? []
  if (hits.length === 0) return null
  return (
    <section className="mt-8" aria-label={projectsText.inLibrary}>
      <h2 className="mb-3 text-lg font-semibold tracking-tight">{projectsText.inLibrary}</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {hits.slice(0, ASSETS).map((hit) => (
          <li key={hit.asset_uuid}>
            <Link
              to="/library"
              search={{ asset: hit.asset_uuid ?? undefined }}
              data-result
              className="flex items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2 hover:border-strong"
            >
              <Images size={16} className="shrink-0 text-faint" aria-hidden />
              <span className="min-w-0">
                <span className="block truncate text-sm font-medium">{hit.display_name}</span>
                <span className="block truncate text-xs text-muted">
                  <Fragment text={hit.fragment} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {hits.length > ASSETS && (
        <p className="mt-2 text-xs text-faint">{projectsText.moreAssets(hits.length - ASSETS)}</p>
      )}
    </section>
  )
}

const Fragment = ({ text }: { text: string }) =>
  partsOf(text).map((p, i) => (p.marked ? <mark key={i}>{p.text}</mark> : <span key={i}>{p.text}</span>))
