// The edits of a project with undo. A change shows at once; the server receives changes in order.

import type { HistoryEntry } from '../../api/history'
import { randomUUID } from '../../api/randomUUID'
import type {
  AnyEdit,
  ChangedEdits,
  ChangeName,
  CutAction,
  Edit,
  EditChange,
  NamedEditChange,
  Placement,
} from '../../api/edits'
import { commandsText } from '../../text/editor/commands'
import { isCut, newCut } from './cuts'
import type { EditAction, Shown } from './editAction'

/** Sends changes to the server. */
export interface EditTransport {
  /** Creates a cut or a placement and returns its server UUID. */
  create(edit: AnyEdit, name: ChangeName): Promise<string>
  change(uuid: string, change: EditChange, name: ChangeName): Promise<unknown>
  /** Toggles, mutes or moves many edits. */
  changeMany(changes: NamedEditChange[], name: ChangeName): Promise<unknown>
  remove(uuid: string, name: ChangeName): Promise<unknown>
  /** Keeps one take of a group. Returns the edits that changed and the changes that restore the state before. */
  chooseTake(group: string, number: number, name: ChangeName): Promise<ChangedEdits>
  /**
   * Undoes an entry of the server's history; with redo, redoes it. If another one is next, because another window has
   * changed the project: fails if strict, otherwise takes that one. Returns whether it took the wanted entry.
   */
  undo(entry: string, redo: boolean, strict: boolean): Promise<boolean>
}

/** Callbacks for the progress of changes. */
export interface EditHooks {
  /** A change is being saved: lists that were requested before it are out of date. */
  onSaveStart?: () => void
  /** A change could not be saved. */
  onSaveError: (error: unknown, label: string) => void
  /**
   * The server has answered all changes, so that its list is current again. stale says whether the history differs from
   * the server's.
   */
  onSaved: (stale: boolean) => void
}

interface ChangeStep {
  kind: 'change'
  uuid: string
  before: EditChange
  after: EditChange
}

type EditStep = ChangeStep | { kind: 'create' | 'remove'; edit: AnyEdit }

/** Several entries that are undone or redone one after the other, up to the first that fails. */
interface Way {
  blocked: boolean
}

interface Entry {
  uuid: string
  label: string
  /** Time of the change, in milliseconds since the epoch. */
  at: number
  /** What this page knows of the entry's changes. */
  shows: () => readonly EditStep[]
}

/** A change in the list of changes. */
export interface HistoryItem {
  uuid: string
  label: string
  at: number
}

/** The current state; a new object after each change. */
export interface EditState {
  edits: Edit[]
  placements: Placement[]
  /** Labels of the changes that undo and redo apply to; null without such a change. */
  undo: string | null
  redo: string | null
  /** All changes that can be undone, oldest first, and those that can be redone, in that order. */
  past: readonly HistoryItem[]
  future: readonly HistoryItem[]
  /** Changes that the server has not confirmed yet. */
  pending: number
}

export class EditHistory {
  private readonly transport: EditTransport
  private readonly hooks: EditHooks
  private readonly listeners = new Set<() => void>()
  private readonly serverIDs = new Map<string, string>() // local UUID -> server UUID
  private all: readonly AnyEdit[] = []
  private shown: readonly AnyEdit[] = this.all // the edits that the lists of the state contain
  private last: Promise<void> = Promise.resolve() // resolves when all requests so far are answered
  private past: Entry[] = []
  private future: Entry[] = []
  private stale = false // whether the history of the server may differ
  private readonly own = new Map<string, boolean>() // entries that this page changed last, with whether they are undone
  private state: EditState = {
    edits: [],
    placements: [],
    undo: null,
    redo: null,
    past: [],
    future: [],
    pending: 0,
  }

  constructor(transport: EditTransport, hooks: EditHooks) {
    this.transport = transport
    this.hooks = hooks
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  readonly snapshot = () => this.state

  /** Loads the list of the server. Ignored while changes are being saved, because the list would be stale; see onSaved. */
  load(edits: readonly AnyEdit[]): void {
    if (this.state.pending > 0) return
    const local = new Map([...this.serverIDs].map(([here, there]) => [there, here]))
    this.all = edits.map((e) => ({ ...e, uuid: local.get(e.uuid) ?? e.uuid }))
    this.publish()
  }

  /** The server UUID of an edit; the local UUID until the edit is stored. */
  readonly serverID = (uuid: string) => this.serverIDs.get(uuid) ?? uuid

  /**
   * Loads the history of the server, newest first. Ignored while changes are being saved, because the list would be stale.
   */
  loadHistory(entries: readonly HistoryEntry[]): void {
    if (this.state.pending > 0) {
      this.stale = true
      return
    }

    const known = new Map([...this.past, ...this.future].map((e) => [e.uuid, e]))
    const fromServer = (e: HistoryEntry): Entry =>
      known.get(e.uuid) ?? { uuid: e.uuid, label: e.label, at: Date.parse(e.created_at), shows: () => [] }

    const done = entries.filter((e) => !e.undone).reverse()
    const undone = entries.filter((e) => e.undone)
    this.past = done.map(fromServer)
    this.future = undone.map(fromServer)
    this.publish()
  }

  /** Reports whether a change of the server's history comes from this page, which then shows it already. */
  isOwn(entry: string, undone: boolean): boolean {
    if (this.own.get(entry) === undone) return true
    this.own.delete(entry)
    return false
  }

  /** Applies an undoable action. Skips changes without effect and edits that no longer exist. */
  perform(label: string, act: EditAction): void {
    const known = new Map(this.all.map((e) => [e.uuid, e]))
    const steps: EditStep[] = this.changesOf(act)
    for (const uuid of act.remove ?? []) {
      const edit = known.get(uuid)
      if (edit) steps.push({ kind: 'remove', edit })
    }

    for (const edit of act.create ?? []) steps.push({ kind: 'create', edit })
    const { last } = act
    if (steps.length === 0 && !last) return
    const { uuid } = this.push(label, () => steps)
    this.show(steps)
    for (const request of this.requests(steps, { uuid, label })) this.send(request, label)
    if (last) this.send(() => last({ uuid, label }), label)
    this.publish()
  }

  /** Keeps one take of a group, which the server does. */
  chooseTake(label: string, group: string, number: number, shown: Shown): void {
    const created = shown.create ?? []
    let shows: EditStep[] = [...this.changesOf(shown), ...created.map((edit): EditStep => ({ kind: 'create', edit }))]
    const { uuid } = this.push(label, () => shows)
    this.show(shows)
    this.send(async () => {
      const { items, undo: before } = await this.transport.chooseTake(group, number, { uuid, label })
      // The server has created edits. From now on they stand for the local ones.
      const existing = new Set((shown.change ?? []).map((c) => c.uuid))
      shows = before.flatMap(({ uuid, ...was }): EditStep[] => {
        const edit = items.find((e) => e.uuid === uuid)
        if (!edit) return []
        if (!existing.has(uuid)) return [{ kind: 'create', edit }]
        return [{ kind: 'change', uuid, before: was, after: pickFields(edit, Object.keys(was)) }]
      })

      this.replace(created, items)
    }, label)

    this.publish()
  }

  // changesOf are the steps of changes that have an effect.
  private changesOf(act: Pick<EditAction, 'change'>): ChangeStep[] {
    const known = new Map(this.all.map((e) => [e.uuid, e]))
    return (act.change ?? []).flatMap(({ uuid, to }): ChangeStep[] => {
      const edit = known.get(uuid)
      if (!edit) return []
      const before = pickFields(edit, Object.keys(to))
      return JSON.stringify(before) === JSON.stringify(to) ? [] : [{ kind: 'change', uuid, before, after: to }]
    })
  }

  /** Switches edits on or off. */
  toggle(uuids: readonly string[], active: boolean, label: string): void {
    this.perform(label, { change: uuids.map((uuid) => ({ uuid, to: { active } })) })
  }

  /** Adds a manual cut or mute and returns its local UUID. */
  cut(startMs: number, endMs: number, reason: string, action: CutAction = 'cut'): string {
    const edit = newCut(startMs, endMs, reason, { action })
    const { addCut, addMute } = commandsText.changes
    this.perform(action === 'mute' ? addMute : addCut, { create: [edit] })
    return edit.uuid
  }

  /** Whether a change was made and not undone. */
  isDone(uuid: string): boolean {
    return this.past.some((e) => e.uuid === uuid)
  }

  /** Undoes a change if it is the newest one, and reports whether it is. */
  takeBack(uuid: string): boolean {
    if (this.past.at(-1)?.uuid !== uuid) return false
    this.undo()
    return true
  }

  /**
   * Makes a change that is not an edit, and that the history of the server records. Resolves to null if the change could
   * not be saved.
   */
  request<T>(label: string, send: (name: ChangeName) => Promise<T>): Promise<T | null> {
    const entry = this.push(label, () => [])
    const result = new Promise<T | null>((resolve) => {
      this.send(async () => {
        try {
          resolve(await send({ uuid: entry.uuid, label }))
        } catch (error) {
          this.past = this.past.filter((e) => e !== entry)
          this.future = this.future.filter((e) => e !== entry)
          resolve(null)
          throw error
        }
      }, label)
    })

    this.publish()
    return result
  }

  undo(): void {
    this.step(false, null)
  }

  redo(): void {
    this.step(true, null)
  }

  /** Undoes or redoes changes until this one is the newest that is not undone; null undoes all. */
  goTo(uuid: string | null): void {
    const way: Way = { blocked: false }
    if (uuid !== null && this.future.some((e) => e.uuid === uuid)) {
      while (this.past.at(-1)?.uuid !== uuid && this.future.length > 0) this.step(true, way)
      return
    }

    if (uuid !== null && !this.isDone(uuid)) return
    while (this.past.length > 0 && this.past.at(-1)?.uuid !== uuid) this.step(false, way)
  }

  // step undoes the newest change, or redoes the next one.
  private step(redo: boolean, way: Way | null): void {
    const entry = redo ? this.future.pop() : this.past.pop()
    if (!entry) return
    if (redo) this.past.push(entry)
    else this.future.push(entry)
    this.show(redo ? entry.shows() : entry.shows().map(inverse).reverse())
    this.own.set(entry.uuid, !redo)
    this.send(async () => {
      if (way?.blocked) return
      if (way) way.blocked = true
      const taken = await this.transport.undo(entry.uuid, redo, way !== null)
      if (way) way.blocked = false
      if (taken) return
      this.own.delete(entry.uuid)
      this.stale = true
    }, entry.label)

    this.publish()
  }

  // push adds a change as the newest one.
  private push(label: string, shows: Entry['shows']): Entry {
    const entry: Entry = { uuid: randomUUID(), label, at: Date.now(), shows }
    this.own.set(entry.uuid, false)
    this.past = [...this.past, entry]
    this.future = []
    return entry
  }

  // show shows steps at once. It skips steps on edits that a new analysis has replaced.
  private show(steps: readonly EditStep[]): void {
    const edits = new Map(this.all.map((e) => [e.uuid, e]))
    const now = new Date().toISOString()
    for (const step of steps) {
      switch (step.kind) {
        case 'create':
          edits.set(step.edit.uuid, step.edit)
          break
        case 'remove':
          edits.delete(step.edit.uuid)
          break
        case 'change': {
          const edit = edits.get(step.uuid)
          if (edit) edits.set(step.uuid, { ...edit, ...step.after, updated_at: now })
        }
      }
    }

    this.all = [...edits.values()]
  }

  // requests turns steps into requests; consecutive changes that the server accepts in bulk become one request.
  private requests(steps: readonly EditStep[], name: ChangeName): (() => Promise<unknown>)[] {
    const out: (() => Promise<unknown>)[] = []
    for (let i = 0; i < steps.length; i++) {
      const run: ChangeStep[] = []
      for (let step = steps[i]; step?.kind === 'change' && isBulkChange(step.after); step = steps[i + run.length])
        run.push(step)
      if (run.length > 1) {
        out.push(() =>
          this.transport.changeMany(
            run.map((s) => ({ uuid: this.serverID(s.uuid), ...s.after })),
            name,
          ),
        )

        i += run.length - 1
      } else {
        const step = steps[i]!
        out.push(() => this.carryOut(step, name))
      }
    }

    return out
  }

  private async carryOut(step: EditStep, name: ChangeName): Promise<unknown> {
    if (step.kind === 'change') return this.transport.change(this.serverID(step.uuid), step.after, name)
    if (step.kind === 'remove') return this.transport.remove(this.serverID(step.edit.uuid), name)
    const { edit } = step
    const from = isCut(edit) && edit.split_from ? { split_from: this.serverID(edit.split_from) } : {}
    this.serverIDs.set(edit.uuid, await this.transport.create({ ...edit, ...from }, name))
  }

  // replace shows edits of the server in place of local ones, unless later changes are on their way.
  private replace(local: readonly AnyEdit[], stored: readonly AnyEdit[]): void {
    if (this.state.pending > 1) return
    const edits = new Map(this.all.map((e) => [e.uuid, e]))
    for (const { uuid } of local) edits.delete(uuid)
    for (const edit of stored) edits.set(edit.uuid, edit)
    this.all = [...edits.values()]
  }

  private send(request: () => Promise<unknown>, label: string): void {
    this.state = { ...this.state, pending: this.state.pending + 1 }
    this.hooks.onSaveStart?.()
    this.last = this.last
      .then(request)
      .catch((error: unknown) => {
        this.stale = true
        this.own.clear()
        this.hooks.onSaveError(error, label)
      })
      .then(() => {
        this.state = { ...this.state, pending: this.state.pending - 1 }
        this.publish()
        if (this.state.pending > 0) return
        const { stale } = this
        this.stale = false
        this.hooks.onSaved(stale)
      })
  }

  private publish(): void {
    const label = (list: Entry[]) => list.at(-1)?.label ?? null
    const lists =
      this.all === this.shown ? {} : { edits: this.all.filter(isCut), placements: this.all.filter((e) => !isCut(e)) }

    this.shown = this.all
    this.state = {
      ...this.state,
      ...lists,
      undo: label(this.past),
      redo: label(this.future),
      past: [...this.past],
      future: [...this.future],
    }

    for (const listener of this.listeners) listener()
  }
}

const BULK_FIELDS: ReadonlySet<string> = new Set(['active', 'action', 'start_ms', 'end_ms'])

// isBulkChange reports whether the server accepts a change for many edits at once.
function isBulkChange(change: EditChange): boolean {
  return Object.keys(change).every((key) => BULK_FIELDS.has(key))
}

// pickFields returns fields of an edit as a change.
const pickFields = (edit: object, fields: readonly string[]): EditChange =>
  Object.fromEntries(fields.map((field) => [field, edit[field as keyof typeof edit]]))

function inverse(step: EditStep): EditStep {
  switch (step.kind) {
    case 'change':
      return { ...step, before: step.after, after: step.before }
    case 'create':
      return { kind: 'remove', edit: step.edit }
    case 'remove':
      return { kind: 'create', edit: step.edit }
  }
}
