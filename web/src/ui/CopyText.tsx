import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { IconButton } from './Button'

/** Something to be taken elsewhere: a link, a token. Long ones are selected when they are entered. */
export function CopyText({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () => {
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => toast.error('The browser does not let the page copy; select the text and copy it.'),
    )
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
      <IconButton label={copied ? 'Copied' : 'Copy'} onClick={copy}>
        {copied ? <Check size={14} className="text-accent" /> : <Copy size={14} />}
      </IconButton>
    </div>
  )
}
