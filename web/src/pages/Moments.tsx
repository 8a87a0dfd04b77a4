import { Fragment } from 'react'
import { Link } from '@tanstack/react-router'
import { messageOf } from '../api/client'
import type { Hit } from '../api/projects'
import { formatTime } from '../editor/format'

interface MomentsProps {
  q: string
  hits: Hit[]
  pending: boolean
  error: Error | null
}

/** Places in recordings where the words are said. */
export function Moments({ q, hits, pending, error }: MomentsProps) {
  return (
    <section className="mt-8" aria-label="Said in recordings">
      <h2 className="mb-3 text-lg font-semibold tracking-tight">Said in recordings</h2>
      {error ? (
        <p className="text-sm text-danger">{messageOf(error)}</p>
      ) : pending ? (
        <div className="skeleton h-24" />
      ) : hits.length === 0 ? (
        <p className="text-sm text-muted">“{q}” is not said in any recording that was analysed with a speech model.</p>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
          {hits.map((hit, i) => hit.project_uuid && <Moment key={`${hit.project_uuid}-${hit.start_ms}-${i}`} hit={hit} project={hit.project_uuid} />)}
        </ul>
      )}
    </section>
  )
}

function Moment({ hit, project }: { hit: Hit; project: string }) {
  return (
    <li>
      <Link to="/projects/$uuid" params={{ uuid: project }} search={{ at: hit.start_ms ?? undefined }} className="flex items-baseline gap-4 px-4 py-2 hover:bg-hover focus-visible:-outline-offset-2">
        <span className="w-16 shrink-0 text-right text-xs text-accent">{formatTime(hit.start_ms ?? 0)}</span>
        <span className="min-w-0 flex-1 truncate text-sm">
          <Marked html={hit.fragment} />
        </span>
        <span className="max-w-48 shrink-0 truncate text-xs text-faint">{hit.project_name}</span>
      </Link>
    </li>
  )
}

// Marked shows escaped text with <mark> elements without trusting it as HTML.
function Marked({ html }: { html: string }) {
  const parts = html.split(/<\/?mark>/)
  return parts.map((part, i) => <Fragment key={i}>{i % 2 ? <mark>{unescape(part)}</mark> : unescape(part)}</Fragment>)
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#34;': '"', '&#39;': "'", '&amp;': '&' }
const unescape = (text: string) => text.replace(/&(lt|gt|quot|amp|#34|#39);/g, (entity) => ENTITIES[entity] ?? entity)
