import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Clapperboard, Home, Images, Monitor, Moon, Search, Settings, Sun } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useDeferredValue, useState, type ReactNode } from 'react'
import { billingQuery } from '../api/billing'
import { chosenSort, projectsQuery } from '../api/projects'
import { sessionQuery } from '../api/session'
import { shellText } from '../text/shell'
import { chooseTheme } from '../ui/theme'
import { useReturnFocus } from '../ui/useReturnFocus'
import { SETTINGS_PAGES } from './settings/pages'

const item =
  'flex h-9 select-none items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-hover [&_svg]:text-faint'

const group =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint'

/** The command palette: opens projects and pages and changes the theme. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [search, setSearch] = useState('')
  const q = useDeferredValue(search.trim())
  const projects = useInfiniteQuery(projectsQuery(q, chosenSort())).data?.pages[0]?.items ?? []
  const admin = useQuery(sessionQuery).data?.is_admin === true
  const metered = useQuery(billingQuery).data?.plan_mode === 'metered'
  const navigate = useNavigate()
  const onCloseAutoFocus = useReturnFocus(true)
  // The palette closes after a navigation, so that the focus goes to the page that is then open.
  const run = (action: () => unknown) => () => void Promise.resolve(action()).finally(onClose)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={onCloseAutoFocus}
          className="pop fixed top-[12vh] left-1/2 z-50 w-[calc(100%-48px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-surface shadow-pop outline-none"
        >
          <Dialog.Title className="sr-only">{shellText.palette}</Dialog.Title>
          <Command label={shellText.palette}>
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search size={16} className="shrink-0 text-faint" aria-hidden />
              <Command.Input
                value={search}
                onValueChange={setSearch}
                placeholder={shellText.palettePlaceholder}
                className="h-12 w-full bg-transparent text-base outline-none placeholder:text-faint"
              />
            </div>
            <Command.List className="max-h-[50vh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
                {shellText.paletteEmpty}
              </Command.Empty>
              {projects.length > 0 && (
                <Command.Group heading={shellText.projects} className={group}>
                  {projects.slice(0, 8).map((p) => (
                    <Item
                      key={p.uuid}
                      value={`${p.name} ${p.uuid}`}
                      icon={<Clapperboard size={15} />}
                      onSelect={run(() =>
                        navigate({ to: '/projects/$uuid', params: { uuid: p.uuid }, search: { at: undefined } }),
                      )}
                    >
                      <bdi className="truncate">{p.name}</bdi>
                    </Item>
                  ))}
                </Command.Group>
              )}
              <Command.Group heading={shellText.pages} className={group}>
                <Item
                  value={shellText.allProjects}
                  icon={<Home size={15} />}
                  onSelect={run(() => navigate({ to: '/' }))}
                >
                  {shellText.allProjects}
                </Item>
                <Item
                  value={shellText.librarySearchTerms}
                  icon={<Images size={15} />}
                  onSelect={run(() => navigate({ to: '/library', search: {} }))}
                >
                  {shellText.library}
                </Item>
                {SETTINGS_PAGES.filter((p) => (admin || !p.admin) && (metered || p.to !== '/settings/plan')).map(
                  (p) => (
                    <Item
                      key={p.to}
                      value={shellText.settingsSearchTerms(p.title)}
                      icon={<Settings size={15} />}
                      onSelect={run(() => navigate({ to: p.to }))}
                    >
                      {p.title}
                    </Item>
                  ),
                )}
              </Command.Group>
              <Command.Group heading={shellText.theme} className={group}>
                <Item value={shellText.darkTheme} icon={<Moon size={15} />} onSelect={run(() => chooseTheme('dark'))}>
                  {shellText.darkTheme}
                </Item>
                <Item value={shellText.lightTheme} icon={<Sun size={15} />} onSelect={run(() => chooseTheme('light'))}>
                  {shellText.lightTheme}
                </Item>
                <Item
                  value={shellText.systemTheme}
                  icon={<Monitor size={15} />}
                  onSelect={run(() => chooseTheme('system'))}
                >
                  {shellText.systemTheme}
                </Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Item({
  value,
  icon,
  onSelect,
  children,
}: {
  value: string
  icon: ReactNode
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <Command.Item value={value} onSelect={onSelect} className={item}>
      {icon}
      <span className="truncate">{children}</span>
    </Command.Item>
  )
}
