import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { uiText } from '../text/ui'
import { IconButton } from './Button'
import { copyText } from './clipboard'

/** A link or token in a read-only field with a copy button. Focusing the field selects the text. */
export function CopyText({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (await copyText(value)) setCopied(true)
    else toast.error(uiText.copyBlocked)
  }

  return (
    <div className="mt-2 flex items-center gap-2">
      <input
        readOnly
        aria-label={label}
        value={value}
        onFocus={(e) => e.target.select()}
        className="h-8 min-w-0 flex-1 rounded-md border border-line bg-surface px-2 font-mono text-xs text-ink"
      />
      <IconButton label={copied ? uiText.copied : uiText.copy} onClick={() => void copy()}>
        {copied ? <Check size={14} className="text-accent" /> : <Copy size={14} />}
      </IconButton>
    </div>
  )
}
