// The edits of a project with undo. A change shows at once; the server receives changes in order.

import type { AnyEdit, ChangedEdits, CutAction, Edit, EditChange, NamedEditChange, Placement } from '../../api/edits'
import { commandsText } from '../../text/editor/commands'
import { isCut, newCut } from './cuts'
import type { EditAction, Shown } from './editAction'

/** Sends changes to the server. */
export interface EditTransport {
  /** Creates a cut or a placement and returns its server UUID. */
  create(edit: AnyEdit): Promise<string>
  change(uuid: string, change: EditChange): Promise<unknown>
  /** Toggles, mutes or moves many edits. */
  changeMany(changes: NamedEditChange[]): Promise<unknown>
  remove(uuid: string): Promise<unknown>
  /** Keeps one take of a group. Returns the edits that changed and the changes that restore the state before. */
  chooseTake(group: string, number: number): Promise<ChangedEdits>
}

/** Callbacks for the progress of changes. */
export interface EditHooks {
  /** A change is being saved: lists that were requested before it are out of date. */
  onSaveStart?: () => void
  /** A change could not be saved. */
  onSaveError: (error: unknown, label: string) => void
  /** The server has answered all changes, so that its list is current again. */
  onSaved: () => void
}

interface ChangeStep {
  kind: 'change'
  uuid: string
  before: EditChange
  after: EditChange
}

type EditStep = ChangeStep | { kind: 'create' | 'remove'; edit: AnyEdit }

type Step =
  | EditStep
  // The server carries out the steps of `shows`, which appear at once.
  | { kind: 'call'; call: () => Promise<unknown>; back: () => Promise<unknown>; shows: () => readonly EditStep[] }

interface Entry {
  label: string
  steps: Step[]
}

/** The current state; a new object after each change. */
export interface EditState {
  edits: Edit[]
  placements: Placement[]
  /** Labels of the changes that undo and redo apply to; null without such a change. */
  undo: string | null
  redo: string | null
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
  private state: EditState = { edits: [], placements: [], undo: null, redo: null, pending: 0 }

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

  /** Applies an undoable action. Skips changes without effect and edits that no longer exist. */
  perform(label: string, act: EditAction): void {
    const known = new Map(this.all.map((e) => [e.uuid, e]))
    const steps: Step[] = this.changesOf(act)
    for (const uuid of act.remove ?? []) {
      const edit = known.get(uuid)
      if (edit) steps.push({ kind: 'remove', edit })
    }
    for (const edit of act.create ?? []) steps.push({ kind: 'create', edit })
    if (steps.length === 0) return
    this.past.push({ label, steps })
    this.future = []
    this.apply({ label, steps })
  }

  /** Keeps one take of a group, which the server does. */
  chooseTake(label: string, group: string, number: number, shown: Shown): void {
    const created = shown.create ?? []
    let undo: NamedEditChange[] = []
    let shows: EditStep[] = [...this.changesOf(shown), ...created.map((edit): EditStep => ({ kind: 'create', edit }))]
    const call = async () => {
      const { items, undo: before } = await this.transport.chooseTake(group, number)
      undo = before
      // The first call has created edits on the server. From now on the local ones stand for them.
      shows = before.map(({ uuid, ...was }): EditStep => {
        const after = items.find((e) => e.uuid === uuid) ?? {}
        return { kind: 'change', uuid, before: was, after: pick(after, Object.keys(was)) }
      })
      this.replace(created, items)
    }
    const back = () => this.transport.changeMany(undo)
    const steps: Step[] = [{ kind: 'call', call, back, shows: () => shows }]
    this.past.push({ label, steps })
    this.future = []
    this.apply({ label, steps })
  }

  // changesOf are the steps of changes that have an effect.
  private changesOf(act: Pick<EditAction, 'change'>): ChangeStep[] {
    const known = new Map(this.all.map((e) => [e.uuid, e]))
    return (act.change ?? []).flatMap(({ uuid, to }): ChangeStep[] => {
      const edit = known.get(uuid)
      if (!edit) return []
      const before = pick(edit, Object.keys(to))
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

  /** Records a change that happened elsewhere, such as new analysis settings, so that it can be undone in turn. */
  record(label: string, again: () => Promise<unknown>, back: () => Promise<unknown>): void {
    this.past.push({ label, steps: [{ kind: 'call', call: again, back, shows: () => [] }] })
    this.future = []
    this.publish()
  }

  /** Clears undo and redo, because another run's edits are active now. */
  clear(): void {
    this.past = []
    this.future = []
    this.publish()
  }

  undo(): void {
    const entry = this.past.pop()
    if (!entry) return
    this.future.push(entry)
    this.apply({ label: entry.label, steps: entry.steps.map(inverse).reverse() })
  }

  redo(): void {
    const entry = this.future.pop()
    if (!entry) return
    this.past.push(entry)
    this.apply(entry)
  }

  // apply shows steps and sends them. It skips steps on edits that a new analysis has replaced.
  private apply({ label, steps }: Entry): void {
    const edits = new Map(this.all.map((e) => [e.uuid, e]))
    const show = (step: Step): boolean => {
      switch (step.kind) {
        case 'call':
          step.shows().forEach(show)
          return true
        case 'create':
          edits.set(step.edit.uuid, step.edit)
          return true
        case 'remove':
          return edits.delete(step.edit.uuid)
        case 'change': {
          const edit = edits.get(step.uuid)
          if (edit) edits.set(step.uuid, { ...edit, ...step.after })
          return edit !== undefined
        }
      }
    }
    const done = steps.filter(show)
    this.all = [...edits.values()]
    for (const request of this.requests(done)) this.send(request, label)
    this.publish()
  }

  // requests turns steps into requests; consecutive changes that the server accepts in bulk become one request.
  private requests(steps: readonly Step[]): (() => Promise<unknown>)[] {
    const out: (() => Promise<unknown>)[] = []
    for (let i = 0; i < steps.length; i++) {
      const run: ChangeStep[] = []
      for (let step = steps[i]; step?.kind === 'change' && isBulkChange(step.after); step = steps[i + run.length])
        run.push(step)
      if (run.length > 1) {
        out.push(() => this.transport.changeMany(run.map((s) => ({ uuid: this.serverID(s.uuid), ...s.after }))))
        i += run.length - 1
      } else {
        const step = steps[i]!
        out.push(() => this.carryOut(step))
      }
    }
    return out
  }

  private async carryOut(step: Step): Promise<unknown> {
    if (step.kind === 'change') return this.transport.change(this.serverID(step.uuid), step.after)
    if (step.kind === 'call') return step.call()
    if (step.kind === 'remove') return this.transport.remove(this.serverID(step.edit.uuid))
    this.serverIDs.set(step.edit.uuid, await this.transport.create(step.edit))
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
      .catch((error: unknown) => this.hooks.onSaveError(error, label))
      .then(() => {
        this.state = { ...this.state, pending: this.state.pending - 1 }
        this.publish()
        if (this.state.pending === 0) this.hooks.onSaved()
      })
  }

  private publish(): void {
    const label = (list: Entry[]) => list.at(-1)?.label ?? null
    const lists =
      this.all === this.shown ? {} : { edits: this.all.filter(isCut), placements: this.all.filter((e) => !isCut(e)) }
    this.shown = this.all
    this.state = { ...this.state, ...lists, undo: label(this.past), redo: label(this.future) }
    for (const listener of this.listeners) listener()
  }
}

const BULK_FIELDS: ReadonlySet<string> = new Set(['active', 'action', 'start_ms', 'end_ms'])

// isBulkChange reports whether the server accepts a change for many edits at once.
function isBulkChange(change: EditChange): boolean {
  return Object.keys(change).every((key) => BULK_FIELDS.has(key))
}

// pick returns fields of an edit as a change.
const pick = (edit: object, fields: readonly string[]): EditChange =>
  Object.fromEntries(fields.map((field) => [field, edit[field as keyof typeof edit]]))

function inverse(step: EditStep): EditStep
function inverse(step: Step): Step
function inverse(step: Step): Step {
  switch (step.kind) {
    case 'change':
      return { ...step, before: step.after, after: step.before }
    case 'call':
      return {
        ...step,
        call: step.back,
        back: step.call,
        shows: () =>
          step
            .shows()
            .map((s) => inverse(s))
            .reverse(),
      }
    case 'create':
      return { kind: 'remove', edit: step.edit }
    case 'remove':
      return { kind: 'create', edit: step.edit }
  }
}
