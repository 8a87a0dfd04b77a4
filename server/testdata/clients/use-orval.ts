// Calls Roughcut with the fetch client of orval.
import { createExport, createProject } from './orval'

const options = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } }
const project = await createProject({ name: 'orval' }, options)
if (project.status !== 201) throw new Error('no project')
const refused = await createExport(project.data.uuid, { name: 'Cut' }, options)
if (refused.status === 400 && refused.data.code === 'no_clips') console.log(refused.data.code)
