import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { basePath } from './api/client'
import { sessionQuery } from './api/session'
import { chosenSort, projectsQuery } from './api/projects'
import { librarySearch } from './library/filter'
import { SignedOutLayout } from './pages/SignedOutLayout'
import { ConfirmEmail } from './pages/ConfirmEmail'
import { ForgotPassword } from './pages/ForgotPassword'
import { ErrorPage, NotFound } from './pages/ErrorPage'
import { SignedInLayout } from './pages/SignedInLayout'
import { Projects } from './pages/Projects'
import { ResetPassword } from './pages/ResetPassword'
import { SignIn } from './pages/SignIn'
import { SignUp } from './pages/SignUp'
import { VerifyEmail } from './pages/VerifyEmail'

interface Context {
  queryClient: QueryClient
  /** Why the launch token of the URL failed; null if it worked or there was none. */
  launchProblem: string | null
}

const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ErrorPage,
})

// Pages that need no session.
const account = createRoute({ getParentRoute: () => root, id: 'account', component: SignedOutLayout })
const signIn = createRoute({
  getParentRoute: () => account,
  path: '/sign-in',
  component: SignIn,
  validateSearch: (s) => ({
    next: nonEmptyText(s['next']),
    notice: nonEmptyText(s['notice']),
    error: nonEmptyText(s['error']),
  }),
})

const signUp = createRoute({
  getParentRoute: () => account,
  path: '/sign-up',
  component: SignUp,
  validateSearch: (s) => ({ invitation: nonEmptyText(s['invitation']) }),
})

const forgot = createRoute({ getParentRoute: () => account, path: '/forgot-password', component: ForgotPassword })
const tokenSearch = (s: Record<string, unknown>) => ({ token: nonEmptyText(s['token']) })
const verify = createRoute({
  getParentRoute: () => account,
  path: '/verify-email',
  component: VerifyEmail,
  validateSearch: tokenSearch,
})

const confirm = createRoute({
  getParentRoute: () => account,
  path: '/confirm-email',
  component: ConfirmEmail,
  validateSearch: tokenSearch,
})

const reset = createRoute({
  getParentRoute: () => account,
  path: '/reset-password',
  component: ResetPassword,
  validateSearch: tokenSearch,
})

// Pages that need a session.
const home = createRoute({
  getParentRoute: () => root,
  id: 'home',
  component: SignedInLayout,
  beforeLoad: async ({ context, location }) => {
    const user = await context.queryClient.ensureQueryData(sessionQuery)
    if (user) return
    const next = location.href === '/' ? undefined : location.href
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router expects redirects as exceptions
    throw redirect({
      to: '/sign-in',
      search: { next, notice: context.launchProblem ?? undefined, error: undefined },
      replace: true,
    })
  },
})

const projects = createRoute({
  getParentRoute: () => home,
  path: '/',
  component: Projects,
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(projectsQuery('', chosenSort())),
})

const project = createRoute({
  getParentRoute: () => home,
  path: '/projects/$uuid',
  validateSearch: (s) => ({ at: typeof s['at'] === 'number' && s['at'] >= 0 ? s['at'] : undefined }),
  component: lazyRouteComponent(() => import('./pages/ProjectPage'), 'ProjectPage'),
})

const library = createRoute({
  getParentRoute: () => home,
  path: '/library',
  validateSearch: librarySearch,
  component: lazyRouteComponent(() => import('./pages/Library'), 'Library'),
})

// Settings. The server pages are for admins; other users are redirected to their profile.
const settings = createRoute({
  getParentRoute: () => home,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/SettingsLayout'), 'SettingsLayout'),
})

const toProfile = () => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router expects redirects as exceptions
  throw redirect({ to: '/settings/profile', replace: true })
}

const settingsIndex = createRoute({ getParentRoute: () => settings, path: '/', beforeLoad: toProfile })
const adminOnly = async ({ context }: { context: Context }) => {
  const user = await context.queryClient.ensureQueryData(sessionQuery)
  if (!user?.is_admin) toProfile()
}

const settingsPages = [
  settingsIndex,
  createRoute({
    getParentRoute: () => settings,
    path: '/profile',
    component: lazyRouteComponent(() => import('./pages/settings/Profile'), 'Profile'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/security',
    component: lazyRouteComponent(() => import('./pages/settings/Security'), 'Security'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/plan',
    component: lazyRouteComponent(() => import('./pages/settings/Subscription'), 'Subscription'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/presets',
    component: lazyRouteComponent(() => import('./pages/settings/Presets'), 'Presets'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/words',
    component: lazyRouteComponent(() => import('./pages/settings/WordLists'), 'WordLists'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/models',
    component: lazyRouteComponent(() => import('./pages/settings/Models'), 'Models'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/storage',
    component: lazyRouteComponent(() => import('./pages/settings/Storage'), 'Storage'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/appearance',
    component: lazyRouteComponent(() => import('./pages/settings/Appearance'), 'Appearance'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/help',
    component: lazyRouteComponent(() => import('./pages/settings/Help'), 'Help'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/people',
    beforeLoad: adminOnly,
    component: lazyRouteComponent(() => import('./pages/settings/People'), 'People'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/mail',
    beforeLoad: adminOnly,
    component: lazyRouteComponent(() => import('./pages/settings/Mail'), 'Mail'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: '/server',
    beforeLoad: adminOnly,
    component: lazyRouteComponent(() => import('./pages/settings/Server'), 'Server'),
  }),
] as const

const routeTree = root.addChildren([
  account.addChildren([signIn, signUp, forgot, verify, confirm, reset]),
  home.addChildren([projects, project, library, settings.addChildren(settingsPages)]),
])

export const createAppRouter = (context: Context) =>
  createRouter({ routeTree, context, basepath: basePath || '/', defaultPreload: 'intent', defaultPreloadStaleTime: 0 })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
