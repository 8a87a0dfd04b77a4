import { useMemo } from 'react'
import type { Edit, EditType } from '../api/edits'
import { KIND_NAMES, neighbour } from './cuts'
import { useModel } from './model'
import { audition } from './playback'
import { useEditorStore } from './store'


export interface CutCommands {
  /** Selects a cut and goes to it. */
  goTo: (edit: Edit) => void
  step: (direction: 1 | -1) => void
  toggle: (edit: Edit) => void
  toggleSelected: () => void
  toggleKind: (kind: EditType, active: boolean) => void
  cutSelection: () => void
  /** Cuts what is marked; else removes or rejects the selected cut. */
  remove: () => void
  /** Plays a cut as it was or as it will be. */
  compare: (edit: Edit, which: 'before' | 'after') => void
}

/** What a person can do with cuts, for buttons and keys alike. */
export function useCutCommands(): CutCommands {
  const model = useModel()
  return useMemo(() => {
    const { edits, book, player, edited, layout, previewing } = model
    const { select, mark } = useEditorStore.getState()
    const selected = () => edits.find((e) => e.uuid === useEditorStore.getState().selected)
    const goTo = (edit: Edit) => {
      select(edit.uuid)
      player?.pause()
      player?.seek(edit.start_ms)
    }
    const toggle = (edit: Edit) => !previewing && book.toggle([edit.uuid], !edit.active, edit.active ? 'rejecting a cut' : 'taking a cut')
    const cutSelection = () => {
      const { selection } = useEditorStore.getState()
      if (!selection || selection.endMs - selection.startMs < 1) return
      select(book.cut(Math.round(selection.startMs), Math.round(selection.endMs), 'Cut by hand'))
      mark(null)
    }
    return {
      goTo,
      step: (direction) => {
        const next = neighbour(edits, useEditorStore.getState().selected, player?.position() ?? 0, direction)
        if (next) goTo(next)
      },
      toggle,
      toggleSelected: () => {
        const edit = selected()
        if (edit) toggle(edit)
      },
      toggleKind: (kind, active) => {
        const label = `${active ? 'taking' : 'rejecting'} all ${KIND_NAMES[kind][1].toLowerCase()}`
        book.toggle(edits.filter((e) => e.type === kind).map((e) => e.uuid), active, label)
      },
      cutSelection,
      remove: () => {
        const edit = selected()
        if (useEditorStore.getState().selection) cutSelection()
        else if (edit) book.remove(edit.uuid)
      },
      compare: (edit, which) => player?.audition(audition(edited, layout, { startMs: edit.start_ms, endMs: edit.end_ms }, which)),
    }
  }, [model])
}
