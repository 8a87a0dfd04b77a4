import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { arrangeClips, orderClips, type Clip } from '../../api/clips'
import {
  compareTimeline,
  formatOf,
  READABLE_TYPES,
  type TimelineChange,
  type TimelineDifference,
} from '../../api/timelines'
import { timelinesText } from '../../text/editor/timelines'
import { Button } from '../../ui/Button'
import { FileButton } from '../../ui/FileButton'
import { Notice } from '../../ui/Notice'
import { useEdits, useHistory, useProject, useSaveState } from '../state/contexts'
import { refreshClips } from '../state/refresh'
import { timecode } from '../plan/timecode'
import { frameDuplicates } from '../state/duplicates'
import { actionOf, duplicatesIn, orderOf } from './timelineChanges'

const text = timelinesText.back

/** Takes over the cuts of a timeline that was changed in another editor. */
export function TimelineReturn() {
  const { project } = useProject()
  const saving = useSaveState().pending > 0
  const compare = useMutation({
    mutationFn: (file: File) => {
      const format = formatOf(file.name)
      if (!format) throw new Error(text.unknownType)
      return compareTimeline(project.uuid, format, file)
    },
  })

  return (
    <section className="flex flex-col gap-3 border-t border-line pt-3">
      <div>
        <h3 className="text-sm font-medium">{text.title}</h3>
        <p className="text-xs text-muted">{text.hint}</p>
      </div>
      <div>
        <FileButton
          label={compare.isPending ? text.comparing : text.open}
          fieldLabel={text.field}
          accept={READABLE_TYPES}
          onFiles={([file]) => file && !saving && compare.mutate(file)}
        />
      </div>
      {compare.isError && <Notice tone="danger" title={messageOf(compare.error)} />}
      {compare.data && (
        <Differences key={compare.submittedAt} difference={compare.data} onApplied={() => compare.reset()} />
      )}
    </section>
  )
}

/** How many segments of a new order are listed. */
const LISTED = 6

const nameOf = (uuid: string, clips: readonly Clip[]) => clips.find((clip) => clip.uuid === uuid)?.name ?? ''

// describeChange says where a cut is, or the new order of clips.
function describeChange(c: TimelineChange, clips: readonly Clip[]): string {
  if (c.kind === 'order') return c.clip_uuids.map((uuid) => nameOf(uuid, clips)).join(', ')
  return text.span(timecode(c.start_ms), timecode(c.end_ms))
}

// segmentsOf lists the first segments of a new order within recordings.
function segmentsOf(c: TimelineChange, clips: readonly Clip[]): string[] {
  const lines = c.segments
    .slice(0, LISTED)
    .map((s, i) => `${i + 1}. ${nameOf(s.clip_uuid, clips)} ${text.span(timecode(s.start_ms), timecode(s.end_ms))}`)

  const more = c.segments.length - LISTED
  return more > 0 ? [...lines, text.more(more)] : lines
}

// Differences lists the changes, which the person can choose from, and the changes that Roughcut cannot apply.
function Differences({ difference, onApplied }: { difference: TimelineDifference; onApplied: () => void }) {
  const { project, clips } = useProject()
  const queryClient = useQueryClient()
  const { history } = useHistory()
  const { edits } = useEdits()
  const { changes, ignored } = difference
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const chosen = changes.filter((_, i) => !left.has(i))
  const toggle = (i: number) => {
    const next = new Set(left)
    if (!next.delete(i)) next.add(i)
    setLeft(next)
  }

  const apply = () => {
    const local = new Map(edits.map((e) => [history.serverID(e.uuid), e.uuid]))
    const action = actionOf(chosen, text.reason, (uuid) => local.get(uuid) ?? uuid)
    const order = chosen.find((c) => c.kind === 'order')?.clip_uuids
    if (order) {
      const all = orderOf(
        clips.map((c) => c.uuid),
        order,
      )

      action.last = (name) => orderClips(project.uuid, all, name).finally(() => refreshClips(queryClient, project.uuid))
    }

    const segments = chosen.find((c) => c.kind === 'arrange')?.segments
    if (segments) {
      action.last = (name) =>
        arrangeClips(project.uuid, segments, name)
          .then(({ items }) => frameDuplicates(items.filter((made) => !clips.some((c) => c.uuid === made.uuid))))
          .finally(() => refreshClips(queryClient, project.uuid))
    }

    history.perform(text.label, action)
    toast.success(text.applied(chosen.length))
    onApplied()
  }

  return (
    <div className="flex flex-col gap-3" data-testid="timeline-difference" data-changes={changes.length}>
      {changes.length === 0 && <p className="text-sm">{text.same}</p>}
      {changes.length > 0 && (
        <>
          <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line">
            {changes.map((c, i) => (
              <li key={`${c.kind}-${c.start_ms}-${c.end_ms}`}>
                <label className="flex items-center gap-3 px-3 py-1.5 text-sm">
                  <input type="checkbox" className="accent-accent" checked={!left.has(i)} onChange={() => toggle(i)} />
                  <span className="min-w-0 flex-1">
                    {text.kinds[c.kind]}
                    {c.kind === 'arrange' &&
                      [text.duplicates(duplicatesIn(c.segments)), ...segmentsOf(c, clips)].map((line) => (
                        <span key={line} className="block text-xs wrap-anywhere text-muted">
                          {line}
                        </span>
                      ))}
                  </span>
                  {c.kind !== 'arrange' && <span className="text-xs text-muted">{describeChange(c, clips)}</span>}
                </label>
              </li>
            ))}
          </ul>
          <div>
            <Button variant="primary" disabled={chosen.length === 0} onClick={apply}>
              {text.apply(chosen.length)}
            </Button>
          </div>
        </>
      )}
      {ignored.length > 0 && (
        <div className="text-xs text-muted">
          <p className="font-medium">{text.ignored}</p>
          <ul className="list-disc pl-4">
            {ignored.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
