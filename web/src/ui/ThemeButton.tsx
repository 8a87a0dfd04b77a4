import { Moon, Sun } from 'lucide-react'
import { uiText } from '../text/ui'
import { IconButton } from './Button'
import { switchTheme, useTheme } from './theme'

export function ThemeButton() {
  const theme = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <IconButton label={uiText.switchTheme[other]} onClick={switchTheme}>
      {theme === 'dark' ? <Sun size={16} /> : <Moon size={16} />}
    </IconButton>
  )
}
