import { queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'
import { queryKeys } from './keys'

/** Decisions about one kind of proposed cut, and the confidence from which it is active. */
export type CutDefault = Schemas['CutDefault']

/** What the account's decisions teach about proposed cuts. */
export const cutDefaultsQuery = queryOptions({
  queryKey: queryKeys.cutDefaults,
  queryFn: ({ signal }) => answer(api.GET('/api/v1/users/me/cut-defaults', { signal })),
  staleTime: 0,
})

/** Switches learning on or off. The counts stay. */
export const setLearning = (enabled: boolean) =>
  answer(api.PATCH('/api/v1/users/me/cut-defaults', { body: { enabled } }))

/** Forgets all decisions. */
export const resetCutDefaults = () => answer(api.DELETE('/api/v1/users/me/cut-defaults'))
