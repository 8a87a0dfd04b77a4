import { describe, expect, it, vi } from 'vitest'
import type { AnyEdit, ChangeName, Edit, EditChange, NamedEditChange } from '../../api/edits'
import type { HistoryEntry } from '../../api/history'
import { newPlacement } from './placements'
import { newCut, splitCut } from './cuts'
import { EditHistory, type EditTransport } from './editHistory'

const edit = (uuid: string, more: Partial<Edit> = {}): Edit => ({
  uuid,
  run_uuid: 'run',
  type: 'silence',
  start_ms: 0,
  end_ms: 1000,
  active: true,
  reason: '',
  confidence: 0.9,
  action: 'cut',
  take_group: null,
  take_number: null,
  created_at: '',
  updated_at: '',
  ...more,
})

const placed = (uuid: string) => ({
  ...newPlacement({ asset_file_id: 'file', kind: 'image', duration_ms: null, display_name: 'Map' }, 0, 60_000)!,
  uuid,
})

// A fake server that stores edits and their history and can delay its responses.
class Server implements EditTransport {
  edits = new Map<string, AnyEdit>()
  calls: string[] = []
  /** The changes, oldest first, with the edits before and after. */
  entries: (ChangeName & { undone: boolean; before: AnyEdit[]; after: AnyEdit[] })[] = []
  private made = 0
  private held: (() => void)[] | null = null

  hold() {
    this.held = []
  }

  respond() {
    const held = this.held ?? []
    this.held = null
    for (const go of held) go()
  }

  /** The history as the API lists it. */
  history(): HistoryEntry[] {
    return this.entries
      .map(({ uuid, label, undone }) => ({ uuid, label, undone, kind: 'edits' as const, created_at: '2026-01-31' }))
      .reverse()
  }

  private async carryOut(call: string, name: ChangeName, act: () => void) {
    this.calls.push(call)
    if (this.held) await new Promise<void>((go) => this.held!.push(go))
    this.entries = this.entries.filter((e) => !e.undone)
    const before = [...this.edits.values()]
    act()
    const after = [...this.edits.values()]
    const last = this.entries.at(-1)
    if (last?.uuid === name.uuid) last.after = after
    else this.entries.push({ ...name, undone: false, before, after })
  }

  async create(edit: AnyEdit, name: ChangeName) {
    const uuid = `server-${++this.made}`
    await this.carryOut('create', name, () => this.edits.set(uuid, { ...edit, uuid }))
    return uuid
  }

  async change(uuid: string, change: EditChange, name: ChangeName) {
    await this.carryOut(`change ${uuid} ${JSON.stringify(change)}`, name, () => this.put(uuid, change))
  }

  async chooseTake(group: string, number: number, name: ChangeName) {
    await this.carryOut(`choose ${group} ${number}`, name, () => {
      this.edits.set('c', this.edits.get('c') ?? edit('c'))
      for (const uuid of ['a', 'b', 'c']) this.put(uuid, { active: uuid !== 'a' })
    })

    const items = ['a', 'b', 'c'].map((uuid) => this.edits.get(uuid) as Edit)
    this.entries.at(-1)!.before = items.filter((e) => e.uuid !== 'c').map((e) => ({ ...e, active: !e.active }))
    return { items, undo: items.map(({ uuid, active }) => ({ uuid, active: !active })) }
  }

  async changeMany(changes: NamedEditChange[], name: ChangeName) {
    await this.carryOut(`change ${changes.length}`, name, () => {
      for (const { uuid, ...change } of changes) this.put(uuid, change)
    })
  }

  private put(uuid: string, change: EditChange) {
    const found = this.edits.get(uuid)
    if (!found) throw new Error('not found')
    this.edits.set(uuid, { ...found, ...change })
  }

  async remove(uuid: string, name: ChangeName) {
    await this.carryOut(`remove ${uuid}`, name, () => this.edits.delete(uuid))
  }

  async undo(uuid: string, redo: boolean, strict: boolean) {
    const entry = this.entries[this.entries.findIndex((e) => e.undone !== !redo && e.uuid === uuid)]
    this.calls.push(`${redo ? 'redo' : 'undo'} ${entry?.label}`)
    if (this.held) await new Promise<void>((go) => this.held!.push(go))
    const next = redo ? this.entries.find((e) => e.undone) : this.entries.findLast((e) => !e.undone)
    if (!next || (strict && next.uuid !== uuid)) throw new Error('changed elsewhere')
    next.undone = !redo
    this.edits = new Map((redo ? next.after : next.before).map((e) => [e.uuid, e]))
    return next.uuid === uuid
  }
}

function open(...edits: AnyEdit[]) {
  const server = new Server()
  for (const e of edits) server.edits.set(e.uuid, e)
  const errors: string[] = []
  const history: EditHistory = new EditHistory(server, {
    onSaveError: (_, label) => errors.push(label),
    onSaved: (stale) => {
      history.load([...server.edits.values()])
      if (stale) history.loadHistory(server.history())
    },
  })

  history.load(edits)
  const settled = () => vi.waitFor(() => expect(history.snapshot().pending).toBe(0))
  const active = () => history.snapshot().edits.map((e) => e.active)
  return { server, history, errors, settled, active }
}

describe('an edit history', () => {
  it('shows a toggle at once and saves it', async () => {
    const { server, history, settled, active } = open(edit('a'), edit('b'))
    server.hold()
    history.toggle(['a'], false, 'rejecting a cut')
    expect(active()).toEqual([false, true])
    expect(server.edits.get('a')!.active).toBe(true)
    server.respond()
    await settled()
    expect(server.edits.get('a')!.active).toBe(false)
  })

  it('undoes and redoes', async () => {
    const { server, history, settled, active } = open(edit('a'), edit('b', { active: false }), edit('c'))
    history.toggle(['a', 'b', 'c'], false, 'rejecting silences')
    expect(history.snapshot().undo).toBe('rejecting silences')
    history.undo()
    expect(active()).toEqual([true, false, true])
    expect([history.snapshot().undo, history.snapshot().redo]).toEqual([null, 'rejecting silences'])
    history.redo()
    await settled()
    expect([...server.edits.values()].map((e) => e.active)).toEqual([false, false, false])
  })

  it('sends quick changes of an edit in order', async () => {
    const { server, history, settled } = open(edit('a'))
    server.hold()
    for (const on of [false, true, false]) history.toggle(['a'], on, 'x')
    server.respond()
    await settled()
    expect(server.calls).toEqual(['change a {"active":false}', 'change a {"active":true}', 'change a {"active":false}'])
    expect(server.edits.get('a')!.active).toBe(false)
  })

  it('keeps the local UUID of a manual cut through undo and redo', async () => {
    const { server, history, settled } = open()
    const uuid = history.cut(100, 900, 'a cough')
    history.toggle([uuid], false, 'rejecting a cut')
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ start_ms: 100, end_ms: 900, active: false }])
    expect(history.snapshot().edits.map((e) => e.uuid)).toEqual([uuid])
    history.undo()
    history.undo()
    await settled()
    expect(server.edits.size).toBe(0)
    history.redo()
    history.redo()
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ uuid: 'server-1', active: false }])
    history.perform('removing a cut', { remove: [uuid] })
    await settled()
    expect(server.edits.size).toBe(0)
    history.undo()
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ start_ms: 100, end_ms: 900, active: false }])
  })

  it('names the stored cut that a part is split from, and dates the changes of an action alike', async () => {
    const { server, history, settled } = open()
    const whole = history.cut(0, 2000, 'a cough')
    const { act, second } = splitCut(history.snapshot().edits[0]!, 1000)!
    history.perform('split', act)
    history.toggle([whole, second], false, 'reject')
    const dates = history.snapshot().edits.map((e) => e.updated_at)
    expect(new Set(dates).size).toBe(1)
    await settled()
    expect([...server.edits.values()]).toMatchObject([{ end_ms: 1000 }, { start_ms: 1000, split_from: 'server-1' }])
  })

  it('undoes an action with several changes at once', async () => {
    const { server, history, settled } = open(edit('a'), edit('b'))
    history.perform('splitting a cut', {
      change: [{ uuid: 'a', to: { end_ms: 400 } }],
      create: [newCut(400, 1000, 'split')],
      remove: ['b'],
    })

    await settled()
    expect([...server.edits.values()].map((e) => [e.start_ms, e.end_ms])).toEqual([
      [0, 400],
      [400, 1000],
    ])

    history.undo()
    await settled()
    expect([...server.edits.values()].map((e) => [e.start_ms, e.end_ms])).toEqual([
      [0, 1000],
      [0, 1000],
    ])

    expect(history.snapshot().edits.map((e) => e.uuid)).toContain('b')
  })

  it('ignores changes without effect', () => {
    const { server, history } = open(edit('a'))
    history.toggle(['a'], true, 'x')
    expect([server.calls, history.snapshot().undo]).toEqual([[], null])
  })

  it('separates placements from cuts and undoes their changes', async () => {
    const { server, history, settled } = open(edit('a'), placed('p'))
    expect([history.snapshot().edits.length, history.snapshot().placements.length]).toEqual([1, 1])
    history.perform('the size', { change: [{ uuid: 'p', to: { overlay_size_percent: 80 } }] })
    expect(history.snapshot().placements[0]!.overlay_size_percent).toBe(80)
    history.undo()
    await settled()
    expect(server.calls).toEqual(['change p {"overlay_size_percent":80}', 'undo the size'])
  })
})

describe('an edit history and its server', () => {
  it('ignores lists that are older than its changes', async () => {
    const { server, history, settled, active } = open(edit('a'))
    server.hold()
    history.toggle(['a'], false, 'x')
    history.load([edit('a')])
    expect(active()).toEqual([false])
    server.respond()
    await settled()
    expect(active()).toEqual([false])
  })

  it('restores the state of the server after a failed change', async () => {
    const { server, history, errors, settled, active } = open(edit('a'))
    vi.spyOn(server, 'change').mockRejectedValue(new Error('no'))
    history.toggle(['a'], false, 'rejecting a cut')
    await settled()
    expect(errors).toEqual(['rejecting a cut'])
    expect(active()).toEqual([true])
  })

  it('has the history of the server after a reload', async () => {
    const { server, history, settled } = open(edit('a'), edit('b'))
    history.toggle(['a'], false, 'first')
    history.toggle(['b'], false, 'second')
    history.undo()
    await settled()
    const later = new EditHistory(server, {
      onSaveError: () => undefined,
      onSaved: () => later.load([...server.edits.values()]),
    })

    later.load([...server.edits.values()])
    later.loadHistory(server.history())
    expect([later.snapshot().undo, later.snapshot().redo]).toEqual(['first', 'second'])
    later.redo()
    later.goTo(null)
    await vi.waitFor(() => expect(later.snapshot().pending).toBe(0))
    expect([...server.edits.values()].every((e) => e.active)).toBe(true)
    later.goTo(server.entries[1]!.uuid)
    await vi.waitFor(() => expect(later.snapshot().edits.map((e) => e.active)).toEqual([false, false]))
    expect(later.snapshot().past.map((e) => e.label)).toEqual(['first', 'second'])
  })

  it('sends changes of many edits in one request', async () => {
    const many = Array.from({ length: 60 }, (_, i) => edit(`e${i}`))
    const { server, history, settled } = open(...many)
    history.toggle(
      many.map((e) => e.uuid),
      false,
      'rejecting silences',
    )

    history.undo()
    history.redo()
    await settled()
    expect(server.calls).toEqual(['change 60', 'undo rejecting silences', 'redo rejecting silences'])
    expect([...server.edits.values()].every((e) => !e.active)).toBe(true)
  })
})

describe('an edit history and another window', () => {
  it('undoes the change of another window that is now the newest one', async () => {
    const { server, history, errors, settled, active } = open(edit('a'))
    history.toggle(['a'], false, 'here')
    await settled()
    await server.change('a', { active: true }, { uuid: 'there', label: 'there' })
    history.undo()
    await settled()
    expect(errors).toEqual([])
    expect(active()).toEqual([false])
    expect(history.snapshot().past.map((e) => e.label)).toEqual(['here'])
    expect(history.snapshot().redo).toBe('there')
    history.undo()
    await settled()
    expect(active()).toEqual([true])
  })

  it('stops on the way to an older state when another window has changed the project', async () => {
    const { server, history, errors, settled } = open(edit('a'), edit('b'))
    history.toggle(['a'], false, 'first')
    history.toggle(['b'], false, 'second')
    await settled()
    await server.change('a', { active: true }, { uuid: 'there', label: 'there' })
    history.goTo(null)
    await settled()
    expect(errors).toEqual(['second'])
    expect(server.calls.filter((c) => c.startsWith('undo'))).toEqual(['undo second'])
    expect(history.snapshot().past.map((e) => e.label)).toEqual(['first', 'second', 'there'])
  })

  it('loads a history that came during a change after it', async () => {
    const { server, history, settled } = open(edit('a'))
    await server.change('a', { active: false }, { uuid: 'there', label: 'there' })
    server.hold()
    history.toggle(['a'], false, 'here')
    history.loadHistory(server.history())
    server.respond()
    await settled()
    expect(history.snapshot().past.map((e) => e.label)).toEqual(['there', 'here'])
  })

  it('knows which changes come from this page', async () => {
    const { history, settled } = open(edit('a'))
    history.toggle(['a'], false, 'here')
    const { uuid } = history.snapshot().past[0]!
    expect([history.isOwn(uuid, false), history.isOwn('there', false)]).toEqual([true, false])
    history.undo()
    expect(history.isOwn(uuid, true)).toBe(true)
    expect(history.isOwn(uuid, false)).toBe(false) // redone in another window
    expect(history.isOwn(uuid, true)).toBe(false) // and undone there
    await settled()
  })
})

it('shows a chosen take at once, before and after the response, and in undo and redo', async () => {
  const { server, history, settled } = open(edit('a'), edit('b', { active: false }))
  const cut = () => history.snapshot().edits.map((e) => [e.uuid, e.active])
  const local = edit('local')
  server.hold()
  history.chooseTake('keep take 1', 'g', 1, {
    change: ['a', 'b'].map((uuid) => ({ uuid, to: { active: uuid !== 'a' } })),
    create: [local],
  })

  const chosen = (third: string) => [
    ['a', false],
    ['b', true],
    [third, true],
  ]

  const before = [
    ['a', true],
    ['b', false],
  ]

  expect(cut()).toEqual(chosen('local'))
  server.respond()
  await settled()
  expect(server.calls).toEqual(['choose g 1'])
  expect(cut()).toEqual(chosen('c'))
  server.hold()
  history.undo()
  expect(cut()).toEqual(before)
  server.respond()
  await settled()
  expect(server.calls.at(-1)).toBe('undo keep take 1')
  expect(cut()).toEqual(before)
  server.hold()
  history.redo()
  expect(cut()).toEqual(chosen('c'))
  server.respond()
  await settled()
  expect(cut()).toEqual(chosen('c'))
})

it('undoes the choice of a take before the server has answered it', async () => {
  const { server, history, settled, active } = open(edit('a'), edit('b', { active: false }))
  server.hold()
  history.chooseTake('keep take 1', 'g', 1, { change: [{ uuid: 'a', to: { active: false } }], create: [edit('local')] })
  history.undo()
  expect(active()).toEqual([true, false])
  server.respond()
  await settled()
  expect(server.calls).toEqual(['choose g 1', 'undo keep take 1'])
  expect(active()).toEqual([true, false])
})

it('forgets a change that the server refused', async () => {
  const { history, errors, settled } = open(edit('a'))
  const result = history.request('a name', () => Promise.reject(new Error('refused')))
  expect(history.snapshot().undo).toBe('a name')
  await settled()
  expect(await result).toBeNull()
  expect(errors).toEqual(['a name'])
  expect(history.snapshot().past).toEqual([])
})
