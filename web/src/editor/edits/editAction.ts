import type { AnyEdit, ChangeName, EditChange } from '../../api/edits'

/** Changes to edits that are undone together. */
export interface EditAction {
  change?: readonly { uuid: string; to: EditChange }[]
  create?: readonly AnyEdit[]
  remove?: readonly string[]
  /** A change of something else than edits, made last. The server's undo must include it. */
  last?: (name: ChangeName) => Promise<unknown>
}

/** What an action of the server changes, shown until its response arrives. */
export type Shown = Pick<EditAction, 'change' | 'create'>
