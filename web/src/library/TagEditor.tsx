import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { assetTagsQuery } from '../api/assets'
import { libraryText } from '../text/library'

interface TagEditorProps {
  label: string
  tags: readonly string[]
  placeholder?: string
  onAdd: (tag: string) => void
  onRemove: (tag: string) => void
}

/** Tags as chips with a field to add more. Enter and comma add a tag; Backspace in the empty field removes the last one. */
export function TagEditor({ label, tags, placeholder = libraryText.addTag, onAdd, onRemove }: TagEditorProps) {
  const id = useId()
  const known = useQuery(assetTagsQuery).data ?? []
  const [text, setText] = useState('')
  const add = () => {
    const tag = text.trim()
    setText('')
    if (tag && !tags.some((t) => t.toLowerCase() === tag.toLowerCase())) onAdd(tag)
  }

  const keyDown = (event: KeyboardEvent) => {
    const last = tags.at(-1)
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault()
      add()
    } else if (event.key === 'Backspace' && text === '' && last !== undefined) onRemove(last)
  }

  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-muted">
        {label}
      </label>
      <div className="flex flex-wrap gap-1 rounded-md border border-line bg-raised p-1 focus-within:border-accent">
        {tags.map((tag) => (
          <span key={tag} className="inline-flex h-6 max-w-full items-center gap-0.5 rounded-sm bg-hover pl-2 text-xs">
            <span className="truncate">{tag}</span>
            <button
              type="button"
              aria-label={libraryText.removeTag(tag)}
              onClick={() => onRemove(tag)}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:text-ink"
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <input
          id={id}
          value={text}
          list={`${id}-known`}
          maxLength={100}
          placeholder={placeholder}
          onChange={(e) => setText(e.target.value)}
          onKeyDown={keyDown}
          onBlur={add}
          autoComplete="off"
          className="h-6 min-w-20 flex-1 bg-transparent px-1 text-sm outline-none placeholder:text-faint"
        />
        <datalist id={`${id}-known`}>
          {known.map((t) => (
            <option key={t.tag} value={t.tag} />
          ))}
        </datalist>
      </div>
    </div>
  )
}
