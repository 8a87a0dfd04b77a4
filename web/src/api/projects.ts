import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { allPages, api, dataOf, type Schemas } from './client'
import { changeSetting, setting } from './settings'

export type Project = Schemas['Project']
export type ProjectSummary = Schemas['ProjectSummary']
export type Word = Schemas['Word']
export type Hit = Schemas['Hit']

const PAGE_SIZE = 60

/** The polling interval while a project in the list is being processed, in milliseconds. */
const POLL_MS = 4_000

/** The sort orders of the project list. */
export const SORTS = ['newest', 'oldest', 'changed', 'name', 'longest'] as const

export type Sort = (typeof SORTS)[number]

/** The sort order that the user chose last, from the stored setting. */
export const chosenSort = (stored = setting('projects.sort')): Sort => SORTS.find((sort) => sort === stored) ?? 'newest'

export const rememberSort = (sort: Sort) => changeSetting('projects.sort', sort)

/** What several recordings become: the clips of one project, or a project each. */
export const SEVERAL = ['one', 'each'] as const

export type Several = (typeof SEVERAL)[number]

/** What the user made of several recordings last, from the stored setting. */
export const chosenSeveral = (stored = setting('projects.several')): Several =>
  SEVERAL.find((several) => several === stored) ?? 'one'

export const rememberSeveral = (several: Several) => changeSetting('projects.several', several)

const underWay = (p: ProjectSummary) => p.status === 'analyzing' || p.duration_ms === null

/** Every list of projects. */
export const allProjects = { queryKey: ['projects'] }

/** Projects whose name contains q, page by page. */
export const projectsQuery = (q: string, sort: Sort) =>
  infiniteQueryOptions({
    queryKey: [...allProjects.queryKey, q, sort],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/v1/projects', {
          params: { query: { page: pageParam, page_size: PAGE_SIZE, sort, ...(q ? { q } : {}) } },
          signal,
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.pages.some((page) => page.items.some(underWay)) ? POLL_MS : false),
  })

/** The first 200 projects by name. */
export const projectNamesQuery = queryOptions({
  queryKey: [...allProjects.queryKey, 'names'],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET('/api/v1/projects', { params: { query: { page_size: 200, sort: 'name' } }, signal }))).items,
})

export const projectQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['project', uuid],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, signal })),
  })

/** Matches of q in transcripts or assets, best first. The server limits them to two pages. */
export const searchQuery = (q: string, kind: Hit['kind']) =>
  queryOptions({
    queryKey: ['search', kind, q],
    queryFn: async ({ signal }) => {
      const page = (number: number) =>
        dataOf(api.GET('/api/v1/search', { params: { query: { q, kind, page: number, page_size: 200 } }, signal }))

      const first = await page(1)
      return first.total > first.items.length ? [...first.items, ...(await page(2)).items] : first.items
    },
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })

export const createProject = (name: string) => dataOf(api.POST('/api/v1/projects', { body: { name } }))

export const renameProject = (uuid: string, name: string) =>
  dataOf(api.PATCH('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, body: { name } }))

/** Replaces the vocabulary of a project, the most important term first. */
export const changeVocabulary = (uuid: string, vocabulary: string[]) =>
  dataOf(
    api.PATCH('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, body: { vocabulary } }),
  )

/** Switches the suggestions of the AI Director for the next analyses of a project. */
export const setProjectDirector = (uuid: string, ai_director: boolean) =>
  dataOf(
    api.PATCH('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, body: { ai_director } }),
  )

/** Stores the options of the next export with a project. */
export const saveExportOptions = (uuid: string, export_settings: Schemas['ExportSettings']) =>
  dataOf(
    api.PATCH('/api/v1/projects/{project_uuid}', {
      params: { path: { project_uuid: uuid } },
      body: { export_settings },
      keepalive: true,
    }),
  )

export const duplicateProject = (uuid: string) =>
  dataOf(api.POST('/api/v1/projects/{project_uuid}/duplicate', { params: { path: { project_uuid: uuid } } }))

/** The projects in the trash, the last deleted first. */
export const trashedProjectsQuery = queryOptions({
  queryKey: [...allProjects.queryKey, 'trash'],
  queryFn: ({ signal }) =>
    allPages((query) => api.GET('/api/v1/projects', { params: { query: { ...query, trashed: true } }, signal })),
})

export const trashProject = (uuid: string) =>
  dataOf(api.POST('/api/v1/projects/{project_uuid}/trash', { params: { path: { project_uuid: uuid } } }))

export const restoreProject = (uuid: string) =>
  dataOf(api.POST('/api/v1/projects/{project_uuid}/restore', { params: { path: { project_uuid: uuid } } }))

/** Permanently deletes a project, in the trash or not. */
export const deleteProject = (uuid: string) =>
  dataOf(api.DELETE('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } } }))
