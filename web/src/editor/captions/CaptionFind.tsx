import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { captionsText as text } from '../../text/editor/captions'
import { IconButton } from '../../ui/Button'
import { inputClass } from '../../ui/Field'
import { useEditorStore } from '../state/store'
import { ReplacePanel } from '../transcript/ReplacePanel'

/** Shows the captions with a text only, and replaces the text in them. */
export function CaptionFind({ find, matches }: { find: string; matches: number }) {
  const replacement = useEditorStore((s) => s.captionReplacement)
  const { set } = useEditorStore.getState()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const close = () => set({ findCaption: null })
  return (
    <>
      <div className="flex items-center gap-1 border-b border-line p-2" role="search">
        <input
          id="find-caption"
          ref={input}
          aria-label={text.find}
          placeholder={text.find}
          value={find}
          maxLength={200}
          onChange={(e) => set({ findCaption: e.target.value })}
          onKeyDown={(e) => {
            if (e.key !== 'Escape') return
            e.preventDefault()
            close()
          }}
          className={`${inputClass} h-8 min-w-0 flex-1`}
        />
        <span className="w-24 shrink-0 text-center text-xs text-muted" role="status">
          {find.trim() === '' ? '' : text.matches(matches)}
        </span>
        <IconButton label={text.closeFind} keys="Esc" onClick={close} className="!size-7">
          <X size={16} />
        </IconButton>
      </div>
      <ReplacePanel
        find={find}
        replacement={replacement}
        onReplacement={(captionReplacement) => set({ captionReplacement })}
        where="captions"
        onClose={close}
      />
    </>
  )
}
