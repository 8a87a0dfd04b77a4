// Calls Roughcut with openapi-fetch and the types of openapi-typescript.
import createClient from 'openapi-fetch'
import type { paths } from './openapi-typescript'

const api = createClient<paths>({
  baseUrl: process.argv[2],
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
})
const { data: project } = await api.POST('/api/v1/projects', { body: { name: 'openapi-typescript' } })
if (!project) throw new Error('no project')
const { error } = await api.POST('/api/v1/projects/{project_uuid}/exports', {
  params: { path: { project_uuid: project.uuid } },
  body: { name: 'Cut' },
})
if (error?.code === 'no_clips') console.log(error.code)

// A request needs no field that has a default.
await api.POST('/api/v1/projects/{project_uuid}/analyze', {
  params: { path: { project_uuid: project.uuid } },
  body: {},
})
