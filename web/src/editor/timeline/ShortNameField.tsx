import { useRef, type CSSProperties } from 'react'
import { twMerge } from 'tailwind-merge'
import type { Short } from '../../api/shorts'
import { shortsText as text } from '../../text/editor/shorts'
import { inputClass } from '../../ui/Field'
import { useShorts } from '../state/contexts'
import { useEditorStore } from '../state/store'

interface ShortNameFieldProps {
  short: Short
  className: string
  style?: CSSProperties
}

/** Takes the new name of a short in the place of the old one; Escape keeps the old one. */
export function ShortNameField({ short, className, style }: ShortNameFieldProps) {
  const { rename } = useShorts()
  const ended = useRef(false)
  const end = (name: string) => {
    if (ended.current) return
    ended.current = true
    useEditorStore.getState().set({ renamingShort: null })
    rename(short, name)
  }

  return (
    <input
      autoFocus
      dir="auto"
      aria-label={text.name}
      defaultValue={short.name}
      maxLength={200}
      autoComplete="off"
      onFocus={(event) => event.currentTarget.select()}
      onContextMenu={(event) => event.stopPropagation()}
      onBlur={({ currentTarget: { value } }) => end(value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') end(event.currentTarget.value)
        else if (event.key === 'Escape') end(short.name)
      }}
      className={twMerge(inputClass, className)}
      style={style}
    />
  )
}
