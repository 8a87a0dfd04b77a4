import './styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Tooltip } from 'radix-ui'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { messageOf, whenSessionIsLost } from './api/client'
import { queryClient } from './api/queryClient'
import { inWindow, noteWindow } from './api/desktop'
import { launch, sessionQuery } from './api/session'
import { createAppRouter } from './router'
import { guardDrops } from './ui/fileDrag'
import { Toasts } from './ui/Toasts'
import { redirectFiles, watchDrags } from './ui/useDesktopFiles'

// exchangeLaunchToken exchanges the launch token in the URL for a session and removes it from the URL. It returns an error
// message, or null.
async function exchangeLaunchToken(): Promise<string | null> {
  const address = new URL(window.location.href)
  const token = address.searchParams.get('launch')
  if (!token) return null
  noteWindow(address)
  address.searchParams.delete('launch')
  window.history.replaceState(null, '', address)
  try {
    await launch(token)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

async function startApp(root: HTMLElement): Promise<void> {
  const router = createAppRouter({ queryClient, launchProblem: await exchangeLaunchToken() })
  if (inWindow()) {
    guardDrops()
    redirectFiles(() => {
      // A project that is still loading accepts files soon.
      if (!router.state.location.pathname.startsWith('/projects/')) void router.navigate({ to: '/' })
    })

    watchDrags()
  }

  whenSessionIsLost(() => {
    queryClient.setQueryData(sessionQuery.queryKey, null)
    void router.invalidate()
  })

  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delayDuration={400} skipDelayDuration={200}>
          <RouterProvider router={router} />
          <Toasts />
        </Tooltip.Provider>
      </QueryClientProvider>
    </StrictMode>,
  )
}

void startApp(document.getElementById('root')!)
