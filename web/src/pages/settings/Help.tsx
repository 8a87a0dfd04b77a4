import { useQuery } from '@tanstack/react-query'
import { BookOpen, WifiOff } from 'lucide-react'
import { systemQuery } from '../../api/admin'
import { basePath } from '../../api/client'
import { inWindow } from '../../api/desktop'
import { sessionQuery } from '../../api/session'
import { COMMAND_GROUPS, COMMANDS } from '../../editor/commands/commands'
import { keyLabel } from '../../editor/commands/keymap'
import { useKeymap } from '../../editor/commands/keymapStore'
import { Section } from '../../ui/Section'
import { Kbd } from '../../ui/Tip'
import { Page } from './Page'

const WORDS = [
  ['Clip', 'A recording in a project. Several are joined in order; the originals are never changed.'],
  ['Run', 'One search for cuts. The last one counts; an earlier one can be taken back.'],
  ['Cut', 'A span that is left out. Every one has its reason, and one key brings it back.'],
  ['Pacing', 'How long a pause may be before it is cut, and how much air stays around speech.'],
  ['False start', 'A sentence that was begun, and begun again. The last take stays.'],
  ['Filler', 'An “um” or “uh”. They are proposed, and stay unless you cut them.'],
  ['Draft', 'Saved choices: which cuts hold, and how to export.'],
  ['Export', 'A rendered video. What you saw is what is rendered, frame by frame.'],
  ['Asset', 'An image, video or sound of your library, to be laid over the recording.'],
  ['AI minutes', 'What analyses are counted in, where a server meters them: a minute of recording is one.'],
] as const

const CONNECTIONS = [
  ['Download of a speech model', 'when an admin asks for one'],
  ['Import from a link', 'the address that you give'],
  ['Mails', 'where the server has a mail server; otherwise they stay in its outbox folder'],
  ['Signing in at another service', 'where the server offers one and you choose it'],
  ['Cards', 'where the server sells plans through a payment provider'],
  ['AI Director with a language model', 'where the server names one; without it the Director works here'],
] as const

/** Keys, words, what works offline, and what the program is made of. */
export function Help() {
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const map = useKeymap((s) => s.map)
  const groups = COMMAND_GROUPS.map(
    ({ title, commands }) => [title, commands.map((name) => [COMMANDS[name].label, map[name]] as const)] as const,
  )
  const system = useQuery({ ...systemQuery, enabled: admin }).data
  return (
    <Page title="Help">
      <Section
        title="Keys"
        description="They work in a project wherever you are not writing. Press ? there to change them."
      >
        <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
          {[...groups, ['Everywhere', [['Go to a project or page', ['Ctrl+K']]]] as const].map(([group, keys]) => (
            <section key={group} aria-label={group}>
              <h3 className="mb-2 text-sm font-semibold">{group}</h3>
              <dl className="flex flex-col gap-2">
                {keys.map(([does, its]) => (
                  <div key={does} className="flex flex-row-reverse items-start justify-between gap-3">
                    <dt className="flex shrink-0 gap-1">
                      {its.map((key) => (
                        <Kbd key={key}>{keyLabel(key)}</Kbd>
                      ))}
                    </dt>
                    <dd className="text-xs text-muted">{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Section>
      <Section title="Words">
        <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
          {WORDS.map(([word, means]) => (
            <div key={word}>
              <dt className="text-sm font-medium">{word}</dt>
              <dd className="text-sm text-muted">{means}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section
        title="Offline"
        description="Recordings, transcripts and exports stay on the machine that runs Roughcut. It works without a network, and connects to others only for this:"
      >
        <ul className="flex flex-col gap-2 text-sm">
          {CONNECTIONS.map(([what, when]) => (
            <li key={what} className="flex gap-2">
              <WifiOff size={14} className="mt-[3px] shrink-0 text-faint" aria-hidden />
              <span>
                <span className="font-medium">{what}</span>: <span className="text-muted">{when}</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title="For programs"
        description="Everything that these pages do goes through an API that is yours to use, with a token from the page Security."
      >
        <a
          href={`${basePath}/api/docs`}
          target={inWindow() ? undefined : '_blank'}
          rel="noreferrer"
          className="inline-flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-3 text-sm font-medium hover:border-strong hover:bg-hover"
        >
          <BookOpen size={14} aria-hidden /> Open the API reference
        </a>
      </Section>
      <Section
        title="About"
        description="Roughcut is free software under the GNU General Public License, version 3 or later. It comes without any warranty; you may run, study, change and pass it on."
      >
        <div className="flex flex-col gap-4 text-sm">
          {system && (
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1" aria-label="Versions">
              {system.components.map((c) => (
                <div key={c.name} className="contents">
                  <dt className="text-muted">{c.name}</dt>
                  <dd className="min-w-0 break-words">{c.version}</dd>
                </div>
              ))}
            </dl>
          )}
          <p className="text-muted">
            It stands on the work of others: FFmpeg (LGPL and GPL), x264 and x265 (GPL), whisper.cpp (MIT), libass
            (ISC), dav1d (BSD), bbolt (MIT), Bleve (Apache), React (MIT) and the font Inter (SIL Open Font License),
            among many.
          </p>
        </div>
      </Section>
    </Page>
  )
}
