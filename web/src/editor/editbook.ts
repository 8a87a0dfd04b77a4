// The edits of one project as the person has them: every change shows at once, is sent to the server in order, and can be undone.

import type { Edit, EditChange } from '../api/edits'

/** How changes reach the server. */
export interface Transport {
  create(cut: { start_ms: number; end_ms: number; reason: string }): Promise<Edit>
  change(uuid: string, change: EditChange): Promise<unknown>
  remove(uuid: string): Promise<unknown>
}

/** Who is told what becomes of changes. */
export interface Hooks {
  /** A change is on its way: lists that were asked for before it are out of date. */
  begun?: () => void
  /** A change could not be saved. */
  failed: (error: unknown, label: string) => void
  /** All changes have been answered, and the server's list can be trusted again. */
  settled: () => void
}

type Step =
  | { kind: 'change'; uuid: string; before: EditChange; after: EditChange }
  | { kind: 'create' | 'remove'; edit: Edit }
  | { kind: 'act'; uuid: string; act: () => Promise<unknown>; back: () => Promise<unknown> }

interface Entry {
  label: string
  steps: Step[]
}

/** What is shown; a new object after each change. */
export interface BookState {
  edits: Edit[]
  /** What undo and redo would take back or do again, for a person; null where there is nothing. */
  undo: string | null
  redo: string | null
  /** Changes that the server has not confirmed yet. */
  pending: number
}

/** Requests that are under way at one time. Changes to one edit always go one after the other. */
const CONCURRENCY = 4

export class EditBook {
  private readonly transport: Transport
  private readonly hooks: Hooks
  private readonly listeners = new Set<() => void>()
  private readonly names = new Map<string, string>() // uuid given here -> uuid that the server gave
  private readonly chains = new Map<string, Promise<void>>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private past: Entry[] = []
  private future: Entry[] = []
  private state: BookState = { edits: [], undo: null, redo: null, pending: 0 }

  constructor(transport: Transport, hooks: Hooks) {
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

  /** Takes over the server's list. While changes are under way it would be stale, and is left out: whoever hears `settled` asks for a new one. */
  load(edits: readonly Edit[]): void {
    if (this.state.pending > 0) return
    const local = new Map([...this.names].map(([here, there]) => [there, here]))
    this.publish({ edits: edits.map((e) => ({ ...e, uuid: local.get(e.uuid) ?? e.uuid })) })
  }

  /** Switches edits on or off; those that are so already are left alone. */
  toggle(uuids: readonly string[], active: boolean, label: string): void {
    const steps = this.pick(uuids)
      .filter((e) => e.active !== active)
      .map((e): Step => ({ kind: 'change', uuid: e.uuid, before: { active: e.active }, after: { active } }))
    this.record(label, steps)
  }

  /** Moves the ends of an edit. */
  move(uuid: string, startMs: number, endMs: number): void {
    const steps = this.pick([uuid]).map((e): Step => ({
      kind: 'change',
      uuid,
      before: { start_ms: e.start_ms, end_ms: e.end_ms },
      after: { start_ms: startMs, end_ms: endMs },
    }))
    this.record('moving a cut', steps)
  }

  /** Makes a cut by hand and returns the uuid that it has here. */
  cut(startMs: number, endMs: number, reason: string): string {
    const now = new Date().toISOString()
    const uuid = `here-${crypto.randomUUID()}`
    const edit: Edit = { uuid, run_uuid: null, type: 'manual', start_ms: startMs, end_ms: endMs, active: true, reason, confidence: null, created_at: now, updated_at: now }
    this.record('a cut', [{ kind: 'create', edit }])
    return uuid
  }

  /** Removes cuts made by hand. Detected ones stay: they are switched off instead. */
  remove(uuid: string): void {
    for (const edit of this.pick([uuid])) {
      if (edit.type === 'manual') this.record('removing a cut', [{ kind: 'remove', edit }])
      else this.toggle([uuid], false, 'rejecting a cut')
    }
  }

  /** Records something that has been done besides, such as a new plan, so that it can be undone in its turn. */
  did(label: string, again: () => Promise<unknown>, back: () => Promise<unknown>): void {
    this.past.push({ label, steps: [{ kind: 'act', uuid: 'act', act: again, back }] })
    this.future = []
    this.publish({})
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

  private record(label: string, steps: Step[]): void {
    if (steps.length === 0) return
    this.past.push({ label, steps })
    this.future = []
    this.apply({ label, steps })
  }

  private pick(uuids: readonly string[]): Edit[] {
    const wanted = new Set(uuids)
    return this.state.edits.filter((e) => wanted.has(e.uuid))
  }

  // apply shows steps and sends them. Steps on edits that are gone (a new analysis replaced them) have nothing left to do.
  private apply({ label, steps }: Entry): void {
    let edits = this.state.edits
    for (const step of steps) {
      if (step.kind === 'change' && !edits.some((e) => e.uuid === step.uuid)) continue
      edits = show(edits, step)
      this.send(step, label)
    }
    this.publish({ edits })
  }

  private send(step: Step, label: string): void {
    const uuid = 'edit' in step ? step.edit.uuid : step.uuid
    const before = this.chains.get(uuid) ?? Promise.resolve()
    this.state = { ...this.state, pending: this.state.pending + 1 }
    this.hooks.begun?.()
    const sent = before
      .then(() => this.turn())
      .then(() => this.carryOut(step))
      .catch((error: unknown) => this.hooks.failed(error, label))
      .finally(() => this.done(uuid, sent))
    this.chains.set(uuid, sent)
  }

  private async carryOut(step: Step): Promise<void> {
    if (step.kind === 'change') {
      await this.transport.change(this.serverName(step.uuid), step.after)
    } else if (step.kind === 'act') {
      await step.act()
    } else if (step.kind === 'remove') {
      await this.transport.remove(this.serverName(step.edit.uuid))
    } else {
      const { start_ms, end_ms, reason } = step.edit
      const made = await this.transport.create({ start_ms, end_ms, reason })
      this.names.set(step.edit.uuid, made.uuid)
      if (!step.edit.active) await this.transport.change(made.uuid, { active: false })
    }
  }

  private serverName = (uuid: string) => this.names.get(uuid) ?? uuid

  private async turn(): Promise<void> {
    if (this.running >= CONCURRENCY) await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running++
  }

  private done(uuid: string, sent: Promise<void>): void {
    this.running--
    this.waiting.shift()?.()
    if (this.chains.get(uuid) === sent) this.chains.delete(uuid)
    this.publish({ pending: this.state.pending - 1 })
    if (this.state.pending === 0) this.hooks.settled()
  }

  private publish(change: Partial<BookState>): void {
    const label = (list: Entry[]) => list.at(-1)?.label ?? null
    this.state = { ...this.state, ...change, undo: label(this.past), redo: label(this.future) }
    for (const listener of this.listeners) listener()
  }
}

function inverse(step: Step): Step {
  switch (step.kind) {
    case 'change':
      return { ...step, before: step.after, after: step.before }
    case 'act':
      return { ...step, act: step.back, back: step.act }
    case 'create':
      return { kind: 'remove', edit: step.edit }
    case 'remove':
      return { kind: 'create', edit: step.edit }
  }
}

function show(edits: Edit[], step: Step): Edit[] {
  switch (step.kind) {
    case 'change':
      return edits.map((e) => (e.uuid === step.uuid ? { ...e, ...step.after } : e))
    case 'act':
      return edits
    case 'create':
      return [...edits, step.edit]
    case 'remove':
      return edits.filter((e) => e.uuid !== step.edit.uuid)
  }
}
