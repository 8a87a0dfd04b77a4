import { ArrowDownUp, Eye, EyeOff, ListChecks, SlidersHorizontal, VolumeX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EditType } from '../../api/edits'
import { reviewText as text } from '../../text/editor/review'
import { Button, IconButton } from '../../ui/Button'
import { useActions } from '../commands/useCommand'
import { cutTimeOf, mutes } from '../edits/cuts'
import { CUT_KINDS, kindOf } from '../edits/kinds'
import type { ReviewRow } from '../edits/stretches'
import { Toggle } from '../../ui/Toggle'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'
import { ConfidenceFilter, useHasDoubtful } from './ConfidenceFilter'
import { LengthFilter } from './LengthFilter'
import { KindSwatch } from './KindSwatch'

/** The smallest number of kinds that a low window shows in two columns, without totals. */
const MANY = 4

/**
 * The kinds of cuts with the time that each removes. A kind can be switched as a whole, muted and hidden. A phone shows the kinds and
 * the filters on request, so that the cuts have room; `folded` leaves them out.
 */
export function KindBar({ actions, phone, folded: left }: { actions: ReactNode; phone: boolean; folded: boolean }) {
  const { edits, rows } = useEdits()
  const { toggleKind, muteKind } = useActions()
  const review = useEditorStore((s) => s.review)
  const { order, hidden } = review
  const adjusting = useEditorStore((s) => s.adjusting)
  const folded = left || (phone && !adjusting)
  const doubtful = useHasDoubtful()
  const { set, filter } = useEditorStore.getState()
  const present = CUT_KINDS.map((kind) => kind.name).filter((kind) => edits.some((e) => e.type === kind))
  const many = present.length >= MANY
  const show = (kind: EditType) =>
    filter({ hidden: hidden.includes(kind) ? hidden.filter((k) => k !== kind) : [...hidden, kind] })

  return (
    <div className="border-b border-line py-1">
      {!folded && (
        <>
          <div className={many ? '[@media(max-height:799px)]:grid [@media(max-height:799px)]:grid-cols-2' : ''}>
            {present.map((kind) => {
              const all = edits.filter((e) => e.type === kind)
              const on = all.filter((e) => e.active).length
              const silent = all.filter(mutes).length
              const off = hidden.includes(kind)
              const name = kindOf(kind).labelPlural
              const total = text.kindTotal({ ...countOf(rows, kind), ms: cutTimeOf(edits, kind) })
              return (
                <div
                  key={kind}
                  title={total}
                  className={`group flex h-6.5 items-center gap-2 px-3 text-xs [@media(max-height:799px)]:h-5.5 ${many ? '[@media(max-height:799px)]:gap-0.5 [@media(max-height:799px)]:[&>:first-child]:mr-1' : ''}`}
                >
                  <KindSwatch kind={kind} />
                  <span className={`min-w-0 truncate font-medium ${off ? 'text-faint' : ''}`}>{name}</span>
                  <span className="min-w-0 flex-1 truncate text-faint">
                    <span className={many ? '[@media(max-height:799px)]:sr-only' : ''}>{total}</span>
                  </span>
                  <IconButton
                    label={silent === all.length ? text.cutKind(name) : text.muteKind(name)}
                    pressed={silent === all.length}
                    className={`size-6 ${many ? '[@media(max-height:799px)_and_(hover:hover)]:not-group-hover:not-group-focus-within:hidden' : ''} ${silent > 0 ? '' : 'group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:hover)]:opacity-0'}`}
                    onClick={() => muteKind(kind, silent < all.length)}
                  >
                    <VolumeX size={14} />
                  </IconButton>
                  <IconButton
                    label={off ? text.showKind(name) : text.hideKind(name)}
                    pressed={off}
                    className="size-6"
                    onClick={() => show(kind)}
                  >
                    {off ? <EyeOff size={14} /> : <Eye size={14} />}
                  </IconButton>
                  <Toggle
                    focusable
                    label={text.allOfKind(name)}
                    checked={on > 0}
                    mixed={on > 0 && on < all.length}
                    onChange={() => toggleKind(kind, on < all.length)}
                  />
                </div>
              )
            })}
          </div>
          {doubtful && (
            <div className="flex items-center gap-2 px-3 py-1">
              <LengthFilter />
              <ConfidenceFilter />
            </div>
          )}
        </>
      )}
      <div className={`flex items-center px-2 ${phone ? 'flex-wrap' : ''}`}>
        {phone && (
          <Button
            size="sm"
            variant="quiet"
            aria-expanded={adjusting}
            className="gap-1.5 px-1 font-normal"
            onClick={() => set({ adjusting: !adjusting })}
          >
            <SlidersHorizontal size={12} aria-hidden /> {text.adjust}
          </Button>
        )}
        <Button
          size="sm"
          variant="quiet"
          className="h-6 gap-1.5 px-1 font-normal"
          onClick={() => set({ review: { ...review, order: order === 'time' ? 'confidence' : 'time' } })}
        >
          <ArrowDownUp size={12} aria-hidden /> {order === 'time' ? text.byTime : text.byConfidence}
        </Button>
        <Choosing phone={phone} />
        {!folded && !doubtful && <LengthFilter />}
        {!folded && actions}
      </div>
    </div>
  )
}

// countOf counts the rows with cuts of a kind: all, the active ones, and those of them that mute.
function countOf(rows: readonly ReviewRow[], kind: EditType) {
  const has = (e: { type: EditType }) => e.type === kind
  const active = rows.filter((row) => row.active && row.cuts.some(has))
  return {
    total: rows.filter((row) => row.cuts.some(has) || row.inside.some(has)).length,
    active: active.length,
    muted: active.filter(mutes).length,
  }
}

// Choosing switches between going to a cut and choosing several with each click.
function Choosing({ phone }: { phone: boolean }) {
  const choosing = useEditorStore((s) => s.choosing)
  const { set, stopChoosing } = useEditorStore.getState()
  const turn = () => (choosing ? stopChoosing() : set({ choosing: true }))
  if (!phone)
    return (
      <IconButton label={text.chooseSeveral} pressed={choosing} className="size-6" onClick={turn}>
        <ListChecks size={14} />
      </IconButton>
    )
  return (
    <Button
      size="sm"
      variant={choosing ? 'plain' : 'quiet'}
      aria-pressed={choosing}
      className="ml-auto gap-1.5 font-normal"
      onClick={turn}
    >
      <ListChecks size={14} aria-hidden /> {text.select}
    </Button>
  )
}
