/**
 * A ref of a media element that ends its download when the element leaves the page. Browsers would continue the download,
 * and the server may have deleted the file by then.
 */
export const stopLoading = (media: HTMLMediaElement | null) => () =>
  // React's strict mode calls this for elements that stay.
  queueMicrotask(() => {
    if (!media || media.isConnected) return
    media.removeAttribute('src')
    media.load()
  })
