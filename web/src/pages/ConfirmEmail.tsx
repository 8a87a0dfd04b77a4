import { getRouteApi } from '@tanstack/react-router'
import { confirmEmailChange } from '../api/session'
import { Notice } from '../ui/Notice'
import { MailedToken } from './MailedToken'

const route = getRouteApi('/account/confirm-email')

/** Where the link in the mail to a new address leads. */
export function ConfirmEmail() {
  const { token } = route.useSearch()
  return (
    <MailedToken
      name="confirm-email"
      token={token}
      send={confirmEmailChange}
      done="Your new address is confirmed"
      hint="Use it from now on to sign in."
      refused={(message) => (
        <Notice tone="danger" title="This link does not work">
          {message}
        </Notice>
      )}
    />
  )
}
