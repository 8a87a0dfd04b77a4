import { useCallback, useMemo } from 'react'
import { useStore } from 'zustand'
import type { EditType, Placement } from '../../api/edits'
import type { TakeGroup } from '../../api/takes'
import type { Placeable } from '../edits/placements'
import type { ReviewRow } from '../edits/stretches'
import { useEditorAccess, type EditorModel } from '../state/contexts'
import { COMMANDS, runCommand, type Command, type CommandName } from './commands'
import { cutWords, placeAsset, restoreWords } from './editActions'
import { keyLabel } from './keymap'
import { useKeymap } from './keymapStore'
import {
  goToRow,
  muteKind,
  muteRows,
  playRow,
  togglePlacement,
  toggleKind,
  toggleRow,
  toggleRows,
} from './reviewActions'
import { chooseTake, playTake } from './takeActions'

/** A command as a button needs it. */
export interface BoundCommand extends Pick<Command, 'label' | 'icon'> {
  /** The first shortcut for reading; undefined if the command has none. */
  keys: string | undefined
  enabled: boolean
  run: () => void
}

/** A command with its current shortcut. Renders again only when the shortcut or `enabled` changes. */
export function useCommand(name: CommandName): BoundCommand {
  const { store } = useEditorAccess()
  const keys = useShortcut(name)
  const enabled = useStore(store, (model) => model !== null && COMMANDS[name].enabled(model))
  const run = useCallback(() => {
    const model = store.getState()
    if (model) runCommand(name, model)
  }, [store, name])

  const { label, icon } = COMMANDS[name]
  return { label, icon, keys, enabled, run }
}

/** The first shortcut of a command for reading; undefined if it has none. */
export function useShortcut(name: CommandName): string | undefined {
  return useKeymap((s) => (s.map[name][0] ? keyLabel(s.map[name][0]) : undefined))
}

/** Actions on given rows of the list of cuts, takes and assets. */
export interface Actions {
  goTo: (row: ReviewRow) => void
  toggle: (row: ReviewRow) => void
  togglePlacement: (placement: Placement) => void
  toggleRows: (rows: readonly ReviewRow[], active: boolean) => void
  muteRows: (rows: readonly ReviewRow[], mute: boolean) => void
  toggleKind: (kind: EditType, active: boolean) => void
  muteKind: (kind: EditType, mute: boolean) => void
  playRow: (row: ReviewRow, which: 'before' | 'after') => void
  /** Cuts the footage of words, given as the first one and the one after the last. */
  cutWords: (hits: readonly { from: number; to: number }[]) => void
  restoreWords: (hits: readonly { from: number; to: number }[]) => void
  chooseTake: (group: TakeGroup, number: number) => void
  playTake: (group: TakeGroup, number: number) => void
  /** Places an asset at ms, by default at the playhead. */
  place: (asset: Placeable, ms?: number) => void
}

/** Actions for lists and drops; the object never changes. */
export function useActions(): Actions {
  const { store } = useEditorAccess()
  return useMemo(() => {
    const bound =
      <A extends unknown[]>(action: (model: EditorModel, ...args: A) => void) =>
      (...args: A) => {
        const model = store.getState()
        if (model) action(model, ...args)
      }

    return {
      goTo: bound(goToRow),
      toggle: bound((model, row: ReviewRow) => toggleRow(model, row)),
      togglePlacement: bound(togglePlacement),
      toggleRows: bound(toggleRows),
      muteRows: bound(muteRows),
      toggleKind: bound(toggleKind),
      muteKind: bound(muteKind),
      playRow: bound(playRow),
      cutWords: bound(cutWords),
      restoreWords: bound(restoreWords),
      chooseTake: bound(chooseTake),
      playTake: bound(playTake),
      place: bound(placeAsset),
    }
  }, [store])
}
