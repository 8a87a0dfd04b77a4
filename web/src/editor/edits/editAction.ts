import type { AnyEdit, EditChange } from '../../api/edits'

/** What one act of a person does to edits, all of it undone together. */
export interface EditAction {
  change?: readonly { uuid: string; to: EditChange }[]
  create?: readonly AnyEdit[]
  remove?: readonly string[]
}
