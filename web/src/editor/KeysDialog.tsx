import { RotateCcw, X } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { Button, IconButton } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Kbd } from '../ui/Tip'
import {
  changesOf,
  commandOf,
  COMMANDS,
  DEFAULT_KEYS,
  give,
  keyOf,
  meaningOf,
  take,
  written,
  type Command,
} from './keymap'
import { useEditorStore, useKeymap } from './store'

/** Shows all keys, and gives commands other ones. */
export function KeysDialog() {
  const open = useEditorStore((s) => s.help)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog
      wide
      open={open}
      onOpenChange={(help) => set({ help })}
      title="Keys"
      description="A click on a command gives it another key. Your keys are kept in this browser."
    >
      <Keys />
    </Dialog>
  )
}

function Keys() {
  const { map, change } = useKeymap()
  const [asking, setAsking] = useState<Command | null>(null)
  return (
    <>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
        {Object.entries(COMMANDS).map(([group, commands]) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-1 text-sm font-semibold">{group}</h3>
            <ul>
              {commands.map(([command]) => (
                <li key={command}>
                  {asking === command ? (
                    <Asking command={command} done={() => setAsking(null)} />
                  ) : (
                    <Row command={command} ask={() => setAsking(command)} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="mt-6 flex justify-end">
        <Button disabled={changesOf(map) === null} onClick={() => change(DEFAULT_KEYS)}>
          <RotateCcw size={14} aria-hidden /> All keys as they were at first
        </Button>
      </div>
    </>
  )
}

function Row({ command, ask }: { command: Command; ask: () => void }) {
  const keys = useKeymap((s) => s.map[command])
  return (
    <button
      type="button"
      onClick={ask}
      data-command={command}
      className="-mx-2 flex min-h-8 w-[calc(100%+16px)] items-center gap-3 rounded-md px-2 py-1 text-left text-xs hover:bg-hover"
    >
      <span className="flex-1 text-muted">{meaningOf(command)}</span>
      <span className="flex shrink-0 gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{written(key)}</Kbd>
        ))}
        {keys.length === 0 && <span className="text-faint">no key</span>}
      </span>
    </button>
  )
}

// Asking waits for a key; where that does something else already, it says so and asks again.
function Asking({ command, done }: { command: Command; done: () => void }) {
  const { map, change } = useKeymap()
  const [pressed, setPressed] = useState<string | null>(null)
  const other = pressed ? commandOf(map, pressed, command) : undefined
  const assign = (key: string) => {
    change(give(map, command, key))
    done()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent)
    const onButton = event.target instanceof Element && event.target.closest('button')
    if (!key || key === 'Tab' || key === 'Shift+Tab' || (onButton && (key === 'Enter' || key === 'Space'))) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Escape' && command !== 'unmark') return done()
    if (commandOf(map, key, command)) setPressed(key)
    else assign(key)
  }
  return (
    <div
      role="group"
      aria-label={`New key: ${meaningOf(command)}`}
      onKeyDown={onKeyDown}
      className="my-1 rounded-md border border-accent bg-accent-soft p-2 text-xs"
    >
      <div className="flex items-center gap-2">
        <span className="flex-1 font-medium">{meaningOf(command)}</span>
        {map[command].map((key) => (
          <span key={key} className="flex items-center">
            <Kbd>{written(key)}</Kbd>
            <IconButton
              label={`Take ${written(key)} away`}
              className="!size-6"
              onClick={() => change(take(map, command, key))}
            >
              <X size={12} />
            </IconButton>
          </span>
        ))}
      </div>
      <div className="mt-1 flex items-center gap-2" role={other ? 'alert' : 'status'}>
        {other && pressed ? (
          <>
            <span className="flex-1 text-danger">
              {written(pressed)} does “{meaningOf(other)}” already.
            </span>
            <Button size="sm" onClick={() => assign(pressed)}>
              Use it here instead
            </Button>
          </>
        ) : (
          <span className="flex-1 text-muted">Press the new key…</span>
        )}
        <Button size="sm" variant="quiet" autoFocus={!other} onClick={done}>
          Done
        </Button>
      </div>
    </div>
  )
}
