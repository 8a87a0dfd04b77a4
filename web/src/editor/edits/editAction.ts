import type { AnyEdit, EditChange } from '../../api/edits'

/** Changes to edits that are undone together. */
export interface EditAction {
  change?: readonly { uuid: string; to: EditChange }[]
  create?: readonly AnyEdit[]
  remove?: readonly string[]
}

/** What an action of the server changes, shown until its answer arrives. */
export type Shown = Pick<EditAction, 'change' | 'create'>
