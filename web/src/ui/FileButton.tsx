import { Plus } from 'lucide-react'
import { useRef } from 'react'
import { Button } from './Button'

interface FileButtonProps {
  label: string
  /** The name of the file field for screen readers. */
  fieldLabel: string
  /** The types of files to choose from, as in the attribute of the same name. */
  accept: string
  onFiles: (files: File[]) => void
  variant?: 'plain' | 'primary'
  size?: 'sm' | 'md' | 'lg'
}

/** A button that opens a file dialog. */
export function FileButton({ label, fieldLabel, accept, onFiles, variant = 'plain', size = 'md' }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={accept}
        className="sr-only"
        tabIndex={-1}
        aria-label={fieldLabel}
        onChange={(e) => {
          onFiles([...(e.target.files ?? [])])
          e.target.value = ''
        }}
      />
      <Button variant={variant} size={size} onClick={() => input.current?.click()}>
        <Plus size={size === 'sm' ? 14 : 16} aria-hidden /> {label}
      </Button>
    </>
  )
}
