// Applies the chosen theme before the first paint.
try {
  var theme = localStorage.getItem('roughcut.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // storage is blocked, so the page uses the system's theme
}
