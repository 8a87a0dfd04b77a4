import { RotateCcw, X } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { commandsText } from '../../text/editor/commands'
import { Button, IconButton } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Kbd } from '../../ui/Tip'
import { useEditorStore } from '../state/store'
import { COMMAND_GROUPS, COMMANDS, type CommandName } from './commands'
import { assignKey, changesOf, commandOf, DEFAULT_KEYS, keyLabel, keyOf, removeKey } from './keymap'
import { useKeymap } from './keymapStore'
import { KeyList } from './KeyList'

const text = commandsText.shortcuts

/** Lists all shortcuts and lets the person change them. */
export function ShortcutsDialog() {
  const open = useEditorStore((s) => s.help)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog wide open={open} onOpenChange={(help) => set({ help })} title={text.title} description={text.description}>
      <Shortcuts />
    </Dialog>
  )
}

function Shortcuts() {
  const { map, change } = useKeymap()
  const [edited, setEdited] = useState<CommandName | null>(null)
  return (
    <>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
        {COMMAND_GROUPS.map(({ title, commands }) => (
          <section key={title} aria-label={title}>
            <h3 className="mb-1 text-sm font-semibold">{title}</h3>
            <ul>
              {commands.map((command) => (
                <li key={command}>
                  {edited === command ? (
                    <ShortcutEditor command={command} done={() => setEdited(null)} />
                  ) : (
                    <Row command={command} edit={() => setEdited(command)} />
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="mt-6 flex justify-end">
        <Button disabled={changesOf(map) === null} onClick={() => change(DEFAULT_KEYS)}>
          <RotateCcw size={14} aria-hidden /> {text.resetAll}
        </Button>
      </div>
    </>
  )
}

function Row({ command, edit }: { command: CommandName; edit: () => void }) {
  const keys = useKeymap((s) => s.map[command])
  return (
    <button
      type="button"
      onClick={edit}
      data-command={command}
      className="-mx-2 flex min-h-8 w-[calc(100%+16px)] items-center gap-3 rounded-md px-2 py-1 text-left text-xs hover:bg-hover"
    >
      <span className="flex-1 text-muted">{COMMANDS[command].label}</span>
      {keys.length > 0 ? <KeyList keys={keys} /> : <span className="shrink-0 text-faint">{text.none}</span>}
    </button>
  )
}

// ShortcutEditor assigns the next pressed key. For a key that another command has, it asks first.
function ShortcutEditor({ command, done }: { command: CommandName; done: () => void }) {
  const { map, change } = useKeymap()
  const [pressed, setPressed] = useState<string | null>(null)
  const other = pressed ? commandOf(map, pressed, command) : undefined
  const { label } = COMMANDS[command]
  const assign = (key: string) => {
    change(assignKey(map, command, key))
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
      aria-label={text.change(label)}
      onKeyDown={onKeyDown}
      className="my-1 rounded-md border border-accent bg-accent-soft p-2 text-xs"
    >
      <div className="flex flex-wrap items-center gap-x-2">
        <span className="flex-1 basis-32 font-medium">{label}</span>
        {map[command].map((key) => (
          <span key={key} className="flex shrink-0 items-center">
            <Kbd>{keyLabel(key)}</Kbd>
            <IconButton
              label={text.remove(keyLabel(key))}
              className="size-6"
              onClick={() => change(removeKey(map, command, key))}
            >
              <X size={12} />
            </IconButton>
          </span>
        ))}
      </div>
      <div className="mt-1 flex items-center gap-2" role={other ? 'alert' : 'status'}>
        {other && pressed ? (
          <>
            <span className="flex-1 text-danger">{text.taken(keyLabel(pressed), COMMANDS[other].label)}</span>
            <Button size="sm" onClick={() => assign(pressed)}>
              {text.reassign}
            </Button>
          </>
        ) : (
          <span className="flex-1 text-muted">{text.press}</span>
        )}
        <Button size="sm" variant="quiet" autoFocus={!other} onClick={done}>
          {text.done}
        </Button>
      </div>
    </div>
  )
}
