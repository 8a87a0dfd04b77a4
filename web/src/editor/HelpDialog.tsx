import { Dialog } from '../ui/Dialog'
import { Kbd } from '../ui/Tip'
import { useEditorStore } from './store'
import { KEYS } from './useKeys'

export function HelpDialog() {
  const open = useEditorStore((s) => s.help)
  const set = useEditorStore((s) => s.set)
  return (
    <Dialog wide open={open} onOpenChange={(help) => set({ help })} title="Keys">
      <div className="grid gap-8 sm:grid-cols-3">
        {KEYS.map(([group, keys]) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-2 text-sm font-semibold">{group}</h3>
            <dl className="flex flex-col gap-2">
              {keys.map(([key, does]) => (
                <div key={key} className="flex flex-col gap-1">
                  <dt className="flex gap-1">
                    {key.split(/\s+/).map((k) => (
                      <Kbd key={k}>{k}</Kbd>
                    ))}
                  </dt>
                  <dd className="text-xs text-muted">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
