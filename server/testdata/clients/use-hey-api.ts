// Calls Roughcut with the client of hey-api.
import { client } from './hey-api/client.gen'
import { createExport, createProject } from './hey-api'

client.setConfig({ baseUrl: process.argv[2], auth: () => process.env.TOKEN })
const { data: project } = await createProject({ body: { name: 'hey-api' } })
if (!project) throw new Error('no project')
const { error } = await createExport({ path: { project_uuid: project.uuid }, body: { name: 'Cut' } })
if (error?.code === 'no_clips') console.log(error.code)
