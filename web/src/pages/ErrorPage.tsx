import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { messageOf } from '../api/client'
import { commonText } from '../text/common'
import { shellText } from '../text/shell'
import { Button } from '../ui/Button'
import { Logo } from '../ui/Logo'

/** Replaces a page that failed to load or render. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }

  return (
    <CenteredMessage title={shellText.pageFailed} text={messageOf(error)}>
      <Button variant="primary" onClick={retry}>
        {commonText.tryAgain}
      </Button>
    </CenteredMessage>
  )
}

export function NotFound() {
  return (
    <CenteredMessage title={shellText.notFound} text={shellText.notFoundHelp}>
      <Link to="/" className="rounded-md bg-accent px-4 py-1.5 font-semibold text-accent-ink hover:bg-accent-hover">
        {shellText.goToProjects}
      </Link>
    </CenteredMessage>
  )
}

export function CenteredMessage({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-4 bg-canvas p-6 text-center">
      <Logo size={48} />
      <div className="max-w-md">
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-sm text-muted">{text}</p>
      </div>
      <div className="flex gap-2">{children}</div>
    </main>
  )
}
