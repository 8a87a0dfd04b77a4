import { useQuery } from '@tanstack/react-query'
import { BookOpen, WifiOff } from 'lucide-react'
import { systemQuery } from '../../api/admin'
import { basePath } from '../../api/client'
import { inWindow } from '../../api/desktop'
import { sessionQuery } from '../../api/session'
import { COMMAND_GROUPS, COMMANDS } from '../../editor/commands/commands'
import { useKeymap } from '../../editor/commands/keymapStore'
import { KeyList } from '../../editor/commands/KeyList'
import { helpText } from '../../text/help'
import { settingsText } from '../../text/settings'
import { Section } from '../../ui/Section'
import { Page } from './Page'

/** The help page: shortcuts, glossary, network use, API and licenses. */
export function Help() {
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const map = useKeymap((s) => s.map)
  const groups = [
    ...COMMAND_GROUPS.map(
      ({ title, commands }) => [title, commands.map((name) => [COMMANDS[name].label, map[name]] as const)] as const,
    ),
    [helpText.everywhere, [[helpText.goTo, ['Ctrl+K']]]] as const,
  ]

  const system = useQuery({ ...systemQuery, enabled: admin }).data
  return (
    <Page title={settingsText.pages.help}>
      <Section title={helpText.keys} description={helpText.keysHelp}>
        <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
          {groups.map(([group, commands]) => (
            <section key={group} aria-label={group}>
              <h3 className="mb-2 text-sm font-semibold">{group}</h3>
              <dl className="flex flex-col gap-2">
                {commands.map(([label, keys]) => (
                  <div key={label} className="flex flex-row-reverse items-start justify-between gap-3">
                    <dt className="max-w-3/4 shrink-0">
                      <KeyList keys={keys} />
                    </dt>
                    <dd className="min-w-0 text-xs text-muted">{label}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Section>
      <Section title={helpText.words}>
        <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
          {helpText.glossary.map(([word, meaning]) => (
            <div key={word}>
              <dt className="text-sm font-medium">{word}</dt>
              <dd className="text-sm text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={helpText.offline} description={helpText.offlineHelp}>
        <ul className="flex flex-col gap-2 text-sm">
          {helpText.connections.map(([what, when]) => (
            <li key={what} className="flex gap-2">
              <WifiOff size={14} className="mt-[3px] shrink-0 text-faint" aria-hidden />
              <span>
                <span className="font-medium">{what}</span>: <span className="text-muted">{when}</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={helpText.api} description={helpText.apiHelp}>
        <a
          href={`${basePath}/api/docs`}
          target={inWindow() ? undefined : '_blank'}
          rel="noreferrer"
          className="inline-flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-3 text-sm font-medium hover:border-strong hover:bg-hover"
        >
          <BookOpen size={14} aria-hidden /> {helpText.openAPI}
        </a>
      </Section>
      <Section title={helpText.about} description={helpText.aboutHelp}>
        <div className="flex flex-col gap-4 text-sm">
          {system && (
            <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1" aria-label={helpText.versions}>
              {system.components.map((c) => (
                <div key={c.name} className="contents">
                  <dt className="text-muted">{c.name}</dt>
                  <dd className="min-w-0 break-words">{c.version}</dd>
                </div>
              ))}
            </dl>
          )}
          <p className="text-muted">{helpText.thanks}</p>
        </div>
      </Section>
    </Page>
  )
}
