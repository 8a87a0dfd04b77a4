/** The logo: a waveform with a cut through it. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden fill="none" strokeLinecap="round">
      <rect width="32" height="32" rx="8" fill="var(--raised)" stroke="var(--line)" />
      <path d="M7 12v8M11 8v16M21 8v16M25 12v8" stroke="var(--accent)" strokeWidth="2.6" />
      <path d="M16 5v22" stroke="var(--manual)" strokeWidth="2" strokeDasharray="1 4.4" />
    </svg>
  )
}
