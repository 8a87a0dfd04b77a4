// Values that the browser keeps. A browser can switch its storage off: it is null, or each access throws. The values then
// last until the page is closed.

/** Storage that never throws. */
export type KeptValues = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

function storageFor(name: 'localStorage' | 'sessionStorage'): KeptValues {
  const here = new Map<string, string>() // values that the browser does not keep
  const tried = <T>(access: (storage: Storage) => T): T | undefined => {
    try {
      return access(globalThis[name])
    } catch {
      return undefined
    }
  }

  return {
    getItem: (key) => here.get(key) ?? tried((storage) => storage.getItem(key)) ?? null,
    setItem: (key, value) => {
      const stored = tried((storage) => {
        storage.setItem(key, value)
        return true
      })

      if (stored) here.delete(key)
      else here.set(key, value)
    },
    removeItem: (key) => {
      here.delete(key)
      tried((storage) => storage.removeItem(key))
    },
  }
}

/** Values that stay until someone clears the data of the site. */
export const browserStorage = storageFor('localStorage')

/** Values that stay as long as the tab or the window is open. */
export const tabStorage = storageFor('sessionStorage')
