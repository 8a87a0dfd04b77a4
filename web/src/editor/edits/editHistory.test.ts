import { describe, expect, it, vi } from 'vitest'
import type { AnyEdit, Edit, EditChange, NamedEditChange } from '../../api/edits'
import { newCut } from './cuts'
import { EditHistory, type EditTransport } from './editHistory'
import { newPlacement } from '../assets/placements'

const edit = (uuid: string, more: Partial<Edit> = {}): Edit => ({
  uuid,
  run_uuid: 'run',
  type: 'silence',
  start_ms: 0,
  end_ms: 1000,
  active: true,
  reason: '',
  confidence: 0.9,
  created_at: '',
  updated_at: '',
  ...more,
})

const placed = (uuid: string) => ({
  ...newPlacement({ asset_file_id: 'file', kind: 'image', duration_ms: null, display_name: 'Map' }, 0, 60_000)!,
  uuid,
})

// A server that keeps edits and answers when it is told to.
class Server implements EditTransport {
  edits = new Map<string, AnyEdit>()
  calls: string[] = []
  private made = 0
  private held: (() => void)[] | null = null

  hold() {
    this.held = []
  }
  answer() {
    const held = this.held ?? []
    this.held = null
    for (const go of held) go()
  }
  private async gate() {
    if (this.held) await new Promise<void>((go) => this.held!.push(go))
  }
  async create(edit: AnyEdit) {
    this.calls.push('create')
    await this.gate()
    const uuid = `server-${++this.made}`
    this.edits.set(uuid, { ...edit, uuid })
    return uuid
  }
  async change(uuid: string, change: EditChange) {
    this.calls.push(`change ${uuid} ${JSON.stringify(change)}`)
    await this.gate()
    this.put(uuid, change)
  }
  async changeMany(changes: NamedEditChange[]) {
    this.calls.push(`change ${changes.length}`)
    await this.gate()
    for (const { uuid, ...change } of changes) this.put(uuid, change)
  }
  private put(uuid: string, change: EditChange) {
    const found = this.edits.get(uuid)
    if (!found) throw new Error('not found')
    this.edits.set(uuid, { ...found, ...change })
  }
  async remove(uuid: string) {
    this.calls.push(`remove ${uuid}`)
    await this.gate()
    this.edits.delete(uuid)
  }
}

function open(...edits: AnyEdit[]) {
  const server = new Server()
  for (const e of edits) server.edits.set(e.uuid, e)
  const errors: string[] = []
  const book: EditHistory = new EditHistory(server, {
    onSaveError: (_, label) => errors.push(label),
    onSaved: () => book.load([...server.edits.values()]),
  })
  book.load(edits)
  const settled = () => vi.waitFor(() => expect(book.snapshot().pending).toBe(0))
  const active = () => book.snapshot().edits.map((e) => e.active)
  return { server, book, errors, settled, active }
}

describe('an edit book', () => {
  it('shows a toggle at once and saves it', async () => {
    const { server, book, settled, active } = open(edit('a'), edit('b'))
    server.hold()
    book.toggle(['a'], false, 'rejecting a cut')
    expect(active()).toEqual([false, true])
    expect(server.edits.get('a')!.active).toBe(true)
    server.answer()
    await settled()
    expect(server.edits.get('a')!.active).toBe(false)
  })

  it('undoes and redoes', async () => {
    const { server, book, settled, active } = open(edit('a'), edit('b', { active: false }), edit('c'))
    book.toggle(['a', 'b', 'c'], false, 'rejecting silences')
    expect(book.snapshot().undo).toBe('rejecting silences')
    book.undo()
    expect(active()).toEqual([true, false, true])
    expect([book.snapshot().undo, book.snapshot().redo]).toEqual([null, 'rejecting silences'])
    book.redo()
    await settled()
    expect([...server.edits.values()].map((e) => e.active)).toEqual([false, false, false])
  })

  it('sends quick changes of one edit in their order', async () => {
    const { server, book, settled } = open(edit('a'))
    server.hold()
    for (const on of [false, true, false]) book.toggle(['a'], on, 'x')
    server.answer()
    await settled()
    expect(server.calls).toEqual(['change a {"active":false}', 'change a {"active":true}', 'change a {"active":false}'])
    expect(server.edits.get('a')!.active).toBe(false)
  })

  it('keeps a cut made by hand through undo and redo, whatever the server calls it', async () => {
    const { server, book, settled } = open()
    const uuid = book.cut(100, 900, 'a cough')
    book.toggle([uuid], false, 'rejecting a cut')
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ start_ms: 100, end_ms: 900, active: false }])
    expect(book.snapshot().edits.map((e) => e.uuid)).toEqual([uuid])
    book.undo()
    book.undo()
    await settled()
    expect(server.edits.size).toBe(0)
    book.redo()
    book.redo()
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ uuid: 'server-2', active: false }])
    book.perform('removing a cut', { remove: [uuid] })
    await settled()
    expect(server.edits.size).toBe(0)
    book.undo()
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ start_ms: 100, end_ms: 900, active: false }])
  })

  it('takes back an act of several parts as one', async () => {
    const { server, book, settled } = open(edit('a'), edit('b'))
    book.perform('splitting a cut', {
      change: [{ uuid: 'a', to: { end_ms: 400 } }],
      create: [newCut(400, 1000, 'split')],
      remove: ['b'],
    })
    await settled()
    expect([...server.edits.values()].map((e) => [e.start_ms, e.end_ms])).toEqual([
      [0, 400],
      [400, 1000],
    ])
    book.undo()
    await settled()
    expect([...server.edits.values()].map((e) => [e.start_ms, e.end_ms])).toEqual([
      [0, 1000],
      [0, 1000],
    ])
    expect(book.snapshot().edits.map((e) => e.uuid)).toContain('b')
  })

  it('does nothing, and has nothing to undo, where all is so already', () => {
    const { server, book } = open(edit('a'))
    book.toggle(['a'], true, 'x')
    expect([server.calls, book.snapshot().undo]).toEqual([[], null])
  })

  it('keeps placements apart from cuts, and undoes what is changed on them', async () => {
    const { server, book, settled } = open(edit('a'), placed('p'))
    expect([book.snapshot().edits.length, book.snapshot().placements.length]).toEqual([1, 1])
    book.perform('the size', { change: [{ uuid: 'p', to: { overlay_size_percent: 80 } }] })
    expect(book.snapshot().placements[0]!.overlay_size_percent).toBe(80)
    book.undo()
    await settled()
    expect(server.calls).toEqual(['change p {"overlay_size_percent":80}', 'change p {"overlay_size_percent":50}'])
  })
})

describe('the book and its server', () => {
  it('ignores a list that is older than its changes', async () => {
    const { server, book, settled, active } = open(edit('a'))
    server.hold()
    book.toggle(['a'], false, 'x')
    book.load([edit('a')])
    expect(active()).toEqual([false])
    server.answer()
    await settled()
    expect(active()).toEqual([false])
  })

  it('goes back to what the server has when a change fails', async () => {
    const { server, book, errors, settled, active } = open(edit('a'))
    vi.spyOn(server, 'change').mockRejectedValue(new Error('no'))
    book.toggle(['a'], false, 'rejecting a cut')
    await settled()
    expect(errors).toEqual(['rejecting a cut'])
    expect(active()).toEqual([true])
  })

  it('has nothing to undo on edits that are gone', async () => {
    const { server, book, settled } = open(edit('a'))
    book.toggle(['a'], false, 'x')
    await settled()
    server.edits = new Map([['z', edit('z')]])
    book.load([edit('z')])
    book.undo()
    await settled()
    expect(book.snapshot().edits.map((e) => e.uuid)).toEqual(['z'])
  })

  it('changes many at once without flooding the server', async () => {
    const many = Array.from({ length: 60 }, (_, i) => edit(`e${i}`))
    const { server, book, settled } = open(...many)
    book.toggle(
      many.map((e) => e.uuid),
      false,
      'rejecting silences',
    )
    book.undo()
    book.redo()
    await settled()
    expect(server.calls).toEqual(['change 60', 'change 60', 'change 60'])
    expect([...server.edits.values()].every((e) => !e.active)).toBe(true)
  })
})
