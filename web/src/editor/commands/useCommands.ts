import { createContext, useContext, useMemo } from 'react'
import { toast } from 'sonner'
import type { AnyEdit, Edit, EditType } from '../../api/edits'
import { isCut, KIND_NAMES, reviewList, MIN_CUT_MS, adjacentCut, restoreSpan, splitCut } from '../edits/cuts'
import type { Command } from './keymap'
import type { Model } from '../state/model'
import { movePlacement, newPlacement, splitPlacement, resizePlacement, type Placeable } from '../assets/placements'
import { auditionSegments, stepFrames } from '../player/playback'
import { useEditorStore } from '../state/store'

/** What a person can do in the editor, for buttons and keys alike. */
export interface Commands {
  /** Selects a cut and goes to it. */
  goTo: (edit: Edit) => void
  toggle: (edit: AnyEdit) => void
  toggleKind: (kind: EditType, active: boolean) => void
  /** Plays a cut as it was or as it will be. */
  compare: (edit: Edit, which: 'before' | 'after') => void
  /** Places an asset, at the playhead where no time is given. */
  place: (asset: Placeable, ms?: number) => void
  run: Record<Command, () => void>
}

export const CommandsContext = createContext<Commands | null>(null)

export function useCommands(): Commands {
  const commands = useContext(CommandsContext)
  if (!commands) throw new Error('useCommands is for panes of the editor')
  return commands
}

/** Makes the commands of the editor. */
export function useMakeCommands(model: Model): Commands {
  return useMemo(() => {
    const review = reviewing(model)
    return {
      ...review.byHand,
      place: placing(model),
      run: { ...playing(model), ...review.run, ...cutting(model), ...therest(model) },
    }
  }, [model])
}

const state = () => useEditorStore.getState()
const chosen = ({ edits, placements }: Model): AnyEdit | undefined =>
  [...edits, ...placements].find((e) => e.uuid === state().selected)

function playing({ player, layout, rates, totalMs }: Model) {
  const at = () => player?.position() ?? 0
  const seek = (ms: number) => {
    player?.pause()
    player?.seek(ms)
  }
  return {
    play: () => player?.toggle(),
    forward: () => player?.shuttle(1),
    backward: () => player?.shuttle(-1),
    frameBack: () => seek(stepFrames(layout, rates, at(), -1)),
    frameOn: () => seek(stepFrames(layout, rates, at(), 1)),
    secondBack: () => seek(at() - 1000),
    secondOn: () => seek(at() + 1000),
    start: () => seek(0),
    end: () => seek(totalMs),
    skip: () => state().set({ skipCuts: !state().skipCuts }),
  }
}

function reviewing(model: Model) {
  const { edits, book, player, edited, layout, fixed } = model
  const goTo = (edit: Edit) => {
    state().select(edit.uuid)
    player?.pause()
    player?.seek(edit.start_ms)
  }
  const toggle = (edit: AnyEdit, active = !edit.active) => {
    const what = isCut(edit) ? 'a cut' : 'an asset'
    if (!fixed(edit)) book.toggle([edit.uuid], active, `${active ? 'taking' : 'rejecting'} ${what}`)
  }
  const step = (direction: 1 | -1) => {
    const list = reviewList(edits, state().review)
    const far = direction === 1 ? -1 : Infinity // doubtful cuts first: the nearest one in time says nothing
    const next = adjacentCut(
      list,
      state().selected,
      state().review.order === 'time' ? (player?.position() ?? 0) : far,
      direction,
    )
    if (next) goTo(next)
  }
  const onCut = (act: (cut: Edit) => void) => () => {
    const edit = chosen(model)
    if (edit && isCut(edit)) act(edit)
  }
  const compare = (edit: Edit, which: 'before' | 'after') =>
    player?.audition(auditionSegments(edited, layout, { startMs: edit.start_ms, endMs: edit.end_ms }, which))
  const decide = (active: boolean) =>
    onCut((cut) => {
      toggle(cut, active)
      step(1)
    })
  return {
    byHand: {
      goTo,
      compare,
      toggle: (edit: AnyEdit) => toggle(edit),
      toggleKind: (kind: EditType, active: boolean) => {
        const label = `${active ? 'taking' : 'rejecting'} all ${KIND_NAMES[kind][1].toLowerCase()}`
        book.toggle(
          edits.filter((e) => e.type === kind && !fixed(e)).map((e) => e.uuid),
          active,
          label,
        )
      },
    },
    run: {
      previous: () => step(-1),
      next: () => step(1),
      toggle: () => {
        const edit = chosen(model)
        if (edit) toggle(edit)
      },
      take: decide(true),
      reject: decide(false),
      before: onCut((cut) => compare(cut, 'before')),
      after: onCut((cut) => compare(cut, 'after')),
    },
  }
}

function cutting(model: Model) {
  const { edits, placements, assets, book, player, layout, rates, totalMs, previewing, fixed } = model
  const { select, mark } = state()
  const at = () => Math.round(player?.position() ?? 0)
  const lengthOf = (file: string) => assets.get(file)?.duration_ms ?? null
  const markTo = (start: boolean) => {
    const { selection } = state()
    const ms = at()
    const other = start ? (selection?.endMs ?? totalMs) : (selection?.startMs ?? 0)
    if (start ? ms < other : ms > other) mark(start ? { startMs: ms, endMs: other } : { startMs: other, endMs: ms })
  }
  const edgeHere = (edge: 'start' | 'end') => {
    const edit = chosen(model)
    if (!edit || fixed(edit)) return
    const ms = at()
    if (!isCut(edit))
      return book.perform('stretching an asset', {
        change: [
          { uuid: edit.uuid, to: timesOf(resizePlacement(edit, edge, ms, lengthOf(edit.asset_file_id), totalMs)) },
        ],
      })
    const fits = edge === 'start' ? ms <= edit.end_ms - MIN_CUT_MS : ms >= edit.start_ms + MIN_CUT_MS
    if (fits)
      book.perform('moving a cut', {
        change: [{ uuid: edit.uuid, to: edge === 'start' ? { start_ms: ms } : { end_ms: ms } }],
      })
  }
  const nudge = (frames: number) => {
    const edit = chosen(model)
    if (!edit || fixed(edit)) return
    const by = stepFrames(layout, rates, edit.start_ms, frames) - edit.start_ms
    const { start_ms, end_ms } = movePlacement({ ...edit, asset_offset_ms: 0 }, by, totalMs)
    book.perform(isCut(edit) ? 'moving a cut' : 'moving an asset', {
      change: [{ uuid: edit.uuid, to: { start_ms, end_ms } }],
    })
    player?.pause()
    player?.seek(start_ms)
  }
  const splitHere = () => {
    const ms = at()
    const selected = chosen(model)
    const under = [...(selected ? [selected] : []), ...edits, ...placements].find(
      (e) => e.start_ms < ms && e.end_ms > ms && !fixed(e),
    )
    const halves =
      under && (isCut(under) ? splitCut(under, ms) : splitPlacement(under, ms, lengthOf(under.asset_file_id)))
    if (!halves)
      return void toast('Nothing to split here', {
        description: 'Put the playhead inside a cut or a placed asset, then split it there.',
      })
    book.perform(isCut(under) ? 'splitting a cut' : 'splitting an asset', halves.act)
    select(halves.second)
  }
  const remove = () => {
    const { selection } = state()
    const edit = chosen(model)
    if (previewing) return
    if (selection) {
      if (selection.endMs - selection.startMs >= 1)
        select(book.cut(Math.round(selection.startMs), Math.round(selection.endMs), 'Cut by hand'))
    } else if (!edit || fixed(edit)) return
    else if (isCut(edit) && edit.type !== 'manual')
      book.toggle([edit.uuid], false, 'rejecting a cut') // what was found stays in the list
    else {
      book.perform(isCut(edit) ? 'removing a cut' : 'removing an asset', { remove: [edit.uuid] })
      select(null)
    }
  }
  return {
    markIn: () => markTo(true),
    markOut: () => markTo(false),
    delete: remove,
    restore: () => {
      const { selection } = state()
      if (selection && !previewing)
        book.perform(
          'bringing footage back',
          restoreSpan(
            edits.filter((e) => !fixed(e)),
            { startMs: Math.round(selection.startMs), endMs: Math.round(selection.endMs) },
          ),
        )
    },
    split: splitHere,
    startHere: () => edgeHere('start'),
    endHere: () => edgeHere('end'),
    nudgeBack: () => nudge(-1),
    nudgeOn: () => nudge(1),
    unmark: () => select(null),
  }
}

const timesOf = ({
  start_ms,
  end_ms,
  asset_offset_ms,
}: {
  start_ms: number
  end_ms: number
  asset_offset_ms: number
}) => ({ start_ms, end_ms, asset_offset_ms })

function placing({ book, player, totalMs }: Model) {
  return (asset: Placeable, ms = player?.position() ?? 0) => {
    const made = newPlacement(asset, ms, totalMs)
    if (!made)
      return void toast('No room for the asset here', {
        description: 'An asset cannot begin at the very end of the recording. Go to an earlier place.',
      })
    book.perform(`placing “${asset.display_name}”`, { create: [made] })
    state().select(made.uuid)
    state().set({ rightTab: 'placement' })
  }
}

const zoom = (factor: number) => window.dispatchEvent(new CustomEvent('roughcut:zoom', { detail: factor }))

function therest({ book, totalMs, early }: Model) {
  return {
    undo: () => book.undo(),
    redo: () => book.redo(),
    save: () => void toast('All changes are saved as you make them'),
    find: () => {
      state().set({ leftTab: 'transcript', find: state().find ?? '' })
      document.querySelector<HTMLInputElement>('#find')?.select() // where it is open already
    },
    zoomIn: () => zoom(1.6),
    zoomOut: () => zoom(1 / 1.6),
    zoomAll: () => zoom(0),
    // What a first analysis has found so far is not kept yet: an export would not have it.
    export: () => {
      if (totalMs > 0 && !early) state().set({ exporting: true })
    },
    help: () => state().set({ help: true }),
  }
}
