export const appearanceText = {
  theme: 'Theme',
  themeHelp: 'Belongs to your account, in every browser. A dark theme makes it easier to judge the video.',
  colors: 'Colors',
  system: 'System',
  dark: 'Dark',
  light: 'Light',
  motion: 'Motion',
  motionHelp: 'Animations are short. If your system requests reduced motion, Roughcut turns them off.',
  reduced: 'Your system requests reduced motion, so animations are off.',
  notReduced: 'Your system does not request reduced motion. To turn animations off, change its accessibility settings.',
} as const
