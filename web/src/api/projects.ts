import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, api, type Schemas } from './client'

export type Project = Schemas['Project']
export type ProjectSummary = Schemas['ProjectSummary']
export type Word = Schemas['Word']
export type Hit = Schemas['Hit']

const PAGE_SIZE = 60

/** Projects whose name holds q, newest first, page by page. */
export const projectsQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['projects', q],
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/v1/projects/', { params: { query: { page: pageParam, page_size: PAGE_SIZE, ...(q ? { q } : {}) } }, signal })),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
    placeholderData: keepPreviousData,
  })

export const projectQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['project', uuid],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, signal })),
  })

/** Moments in transcripts in which q is said. */
export const momentsQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => answer(api.GET('/api/v1/search', { params: { query: { q, kind: 'transcript', page_size: 30 } }, signal })),
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })

export const createProject = (name: string) => answer(api.POST('/api/v1/projects/', { body: { name } }))

export const renameProject = (uuid: string, name: string) =>
  answer(api.PATCH('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } }, body: { name } }))

export const deleteProject = (uuid: string) => answer(api.DELETE('/api/v1/projects/{project_uuid}', { params: { path: { project_uuid: uuid } } }))
