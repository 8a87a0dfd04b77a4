import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { outboxMailQuery, outboxQuery, queuedMailsQuery } from '../../api/admin'
import { relativeTime } from '../../text/format'
import { mailText } from '../../text/mail'
import { settingsText } from '../../text/settings'
import { CopyText } from '../../ui/CopyText'
import { Dialog } from '../../ui/Dialog'
import { Paged } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { Column, Table } from '../../ui/Table'
import { linksIn } from './links'
import { Loaded, Page } from './Page'

/** The email page for admins: queued emails and the outbox. */
export function Mail() {
  return (
    <Page title={settingsText.pages.mail}>
      <Queue />
      <Outbox />
    </Page>
  )
}

function Queue() {
  const [page, setPage] = useState(1)
  const mails = useQuery(queuedMailsQuery(page))
  return (
    <Section title={mailText.queue} description={mailText.queueHelp}>
      <Loaded query={mails} what={mailText.theQueue} height="h-10">
        {(list) => (
          <Paged page={page} list={list} what={mailText.pagedQueue} empty={mailText.queueEmpty} onChange={setPage}>
            <Table
              label={mailText.queued}
              head={
                <>
                  <Column>{mailText.to}</Column>
                  <Column>{mailText.subject}</Column>
                  <Column>{mailText.attempts}</Column>
                </>
              }
            >
              {list.items.map((m) => (
                <tr key={m.uuid}>
                  <td className="max-w-48 truncate">{m.to}</td>
                  <td>{m.subject}</td>
                  <td>
                    {m.attempts}
                    {m.last_error && <span className="block text-xs break-words text-danger">{m.last_error}</span>}
                  </td>
                </tr>
              ))}
            </Table>
          </Paged>
        )}
      </Loaded>
    </Section>
  )
}

function Outbox() {
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<string | null>(null)
  const mails = useQuery(outboxQuery(page))
  return (
    <Section title={mailText.outbox} description={mailText.outboxHelp}>
      <Loaded query={mails} what={mailText.theOutbox} height="h-32">
        {(list) => (
          <Paged page={page} list={list} what={mailText.pagedOutbox} empty={mailText.outboxEmpty} onChange={setPage}>
            <ul aria-label={mailText.outboxList} className="divide-y divide-line">
              {list.items.map((m) => (
                <li key={m.name}>
                  <button
                    type="button"
                    onClick={() => setOpen(m.name)}
                    className="-mx-2 flex w-[calc(100%+16px)] items-baseline gap-4 rounded-md px-2 py-2 text-left text-sm hover:bg-hover"
                  >
                    <span className="w-48 shrink-0 truncate font-medium">{m.to}</span>
                    <span className="min-w-0 flex-1 truncate text-muted">{m.subject}</span>
                    <span className="shrink-0 text-xs text-faint">{relativeTime(m.created_at)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </Paged>
        )}
      </Loaded>
      {open && <Reader name={open} onClose={() => setOpen(null)} />}
    </Section>
  )
}

function Reader({ name, onClose }: { name: string; onClose: () => void }) {
  const mail = useQuery(outboxMailQuery(name))
  const links = linksIn(mail.data?.text ?? '')
  return (
    <Dialog
      wide
      open
      onOpenChange={(open) => !open && onClose()}
      title={mail.data?.subject ?? mailText.email}
      description={mail.data ? mailText.sentTo(mail.data.to, relativeTime(mail.data.created_at)) : undefined}
    >
      <Loaded query={mail} what={mailText.theEmail} height="h-40">
        {(m) => (
          <div className="flex flex-col gap-4">
            {links.map((link) => (
              <CopyText key={link} label={mailText.link} value={link} />
            ))}
            <p className="rounded-lg border border-line bg-raised p-4 text-sm break-words whitespace-pre-wrap">
              {m.text.trim()}
            </p>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}
