import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { outboxMailQuery, outboxQuery, queuedMailsQuery } from '../../api/admin'
import { formatAge } from '../../editor/format'
import { CopyText } from '../../ui/CopyText'
import { Dialog } from '../../ui/Dialog'
import { Pager } from '../../ui/Pager'
import { Section } from '../../ui/Section'
import { tableFrame, tableClass } from '../../ui/table'
import { linksIn } from './links'
import { Loaded, Page } from './Page'

/** Mails that wait, and those that nobody but an admin can hand on. */
export function Mail() {
  return (
    <Page title="Mail">
      <Waiting />
      <Outbox />
    </Page>
  )
}

function Waiting() {
  const [page, setPage] = useState(1)
  const mails = useQuery(queuedMailsQuery(page))
  return (
    <Section
      title="Waiting to be sent"
      description="A mail that could not be sent is tried again. What they say is for whom they are addressed to."
    >
      <Loaded query={mails} what="The waiting mails" height="h-10">
        {(list) =>
          list.total === 0 ? (
            <p className="text-sm text-muted">Nothing waits.</p>
          ) : (
            <>
              <div className={tableFrame}>
                <table className={tableClass} aria-label="Waiting mails">
                  <thead>
                    <tr>
                      <th scope="col">To</th>
                      <th scope="col">Subject</th>
                      <th scope="col">Tries</th>
                    </tr>
                  </thead>
                  <tbody>
                    {list.items.map((m) => (
                      <tr key={m.uuid}>
                        <td className="max-w-48 truncate">{m.to}</td>
                        <td>{m.subject}</td>
                        <td>
                          {m.attempts}
                          {m.last_error && (
                            <span className="block text-xs break-words text-danger">{m.last_error}</span>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={list.page_size} total={list.total} what="waiting mails" onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Outbox() {
  const [page, setPage] = useState(1)
  const [read, setRead] = useState<string | null>(null)
  const mails = useQuery(outboxQuery(page))
  return (
    <Section
      title="Outbox"
      description="Without a mail server (SMTP_URL) every mail stays on this machine, in the outbox folder. Hand on what is in it."
    >
      <Loaded query={mails} what="The outbox" height="h-32">
        {(list) =>
          list.total === 0 ? (
            <p className="text-sm text-muted">The outbox is empty. With a mail server nothing ever comes here.</p>
          ) : (
            <>
              <ul aria-label="Mails in the outbox" className="divide-y divide-line">
                {list.items.map((m) => (
                  <li key={m.name}>
                    <button
                      type="button"
                      onClick={() => setRead(m.name)}
                      className="-mx-2 flex w-[calc(100%+16px)] items-baseline gap-4 rounded-md px-2 py-2 text-left text-sm hover:bg-hover"
                    >
                      <span className="w-48 shrink-0 truncate font-medium">{m.to}</span>
                      <span className="min-w-0 flex-1 truncate text-muted">{m.subject}</span>
                      <span className="shrink-0 text-xs text-faint">{formatAge(m.created_at)}</span>
                    </button>
                  </li>
                ))}
              </ul>
              <Pager page={page} size={list.page_size} total={list.total} what="the outbox" onChange={setPage} />
            </>
          )
        }
      </Loaded>
      {read && <Reader name={read} onClose={() => setRead(null)} />}
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
      title={mail.data?.subject ?? 'A mail'}
      description={mail.data ? `To ${mail.data.to}, ${formatAge(mail.data.created_at)}` : undefined}
    >
      <Loaded query={mail} what="The mail" height="h-40">
        {(m) => (
          <div className="flex flex-col gap-4">
            {links.map((link) => (
              <CopyText key={link} label="Link in the mail" value={link} />
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
