import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from './client'

export type WordList = Schemas['WordList']
export type WordChoice = Schemas['WordChoice']
export type WordListChange = Schemas['WordListChange']

/** The word lists of all languages that Roughcut has words for or that the account has added words to. */
export const wordListsQuery = queryOptions({
  queryKey: ['word-lists'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/users/me/word-lists', { signal }))).items,
})

/** Sets the words of one language. Fields that are left out do not change. */
export const putWordList = (body: WordListChange) => dataOf(api.PUT('/api/v1/users/me/word-lists', { body }))
