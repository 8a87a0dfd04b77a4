import { Kbd } from '../../ui/Tip'
import { keyLabel } from './keymap'

/** The most keys that the list shows; of more it shows the first and the last one. */
const MOST_KEYS = 3

/** The shortcuts of a command. */
export function KeyList({ keys }: { keys: readonly string[] }) {
  const [first, last] = [keys[0], keys.at(-1)]
  return (
    <span className="flex shrink-0 flex-wrap justify-end gap-1">
      {keys.length > MOST_KEYS && first && last ? (
        <>
          <Kbd>{keyLabel(first)}</Kbd>–<Kbd>{keyLabel(last)}</Kbd>
        </>
      ) : (
        keys.map((key) => <Kbd key={key}>{keyLabel(key)}</Kbd>)
      )}
    </span>
  )
}
