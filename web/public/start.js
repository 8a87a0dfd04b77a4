// Runs before the app. If the app fails to load or to start, this says so on the page, and to the log of the desktop
// program. It is plain JavaScript without parts of the app, because those may be what failed.
;(function () {
  var told = false

  // say shows an error unless the app shows something. The app replaces the text if it starts after all.
  function say(failure) {
    setTimeout(function () {
      var root = document.getElementById('root')
      if (told || (root && root.childElementCount > 0)) return
      told = true
      report(failure)
      if (!root) root = document.body.appendChild(document.createElement('div'))
      var page = add(root, 'main', '')
      page.setAttribute('role', 'alert')
      page.style.cssText = 'max-width:34rem;margin:18vh auto 0;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif'
      add(page, 'h1', 'Roughcut could not start').style.cssText = 'font-size:1.25rem;margin:0 0 .5rem'
      add(page, 'p', failure).style.cssText = 'overflow-wrap:anywhere;margin:0 0 .5rem'
      add(
        page,
        'p',
        'Your projects are safe. Load this page again. If it fails again, update Roughcut and the browser, or report this text.',
      )

      var button = add(page, 'button', 'Load again')
      button.style.cssText =
        'font:inherit;color:inherit;background:none;border:1px solid;border-radius:.375rem;margin:1rem 0 0;padding:.375rem 1rem;cursor:pointer'

      button.addEventListener('click', function () {
        location.reload()
      })
    })
  }

  function add(to, kind, text) {
    var element = to.appendChild(document.createElement(kind))
    element.textContent = text
    return element
  }

  // report writes an error to the log. Only the server of a desktop window accepts it.
  function report(failure) {
    fetch(new URL('api/v1/page-errors', document.baseURI), {
      method: 'POST',
      credentials: 'omit',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: failure.slice(0, 1000) }),
    }).catch(function () {})
  }

  function textOf(error) {
    return error instanceof Error ? error.name + ': ' + error.message : String(error)
  }

  window.addEventListener(
    'error',
    function (event) {
      if (event.target instanceof window.HTMLScriptElement) say('The file ' + event.target.src + ' did not load.')
      else if (event.target === window) say(event.error ? textOf(event.error) : event.message)
    },
    true,
  )

  window.addEventListener('unhandledrejection', function (event) {
    say(textOf(event.reason))
  })
})()
