// Runs before the first paint: a theme that the person chose holds against the system's.
try {
  var theme = localStorage.getItem('roughcut.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // storage is blocked: the system's theme holds
}
