import { getRouteApi } from '@tanstack/react-router'
import { confirmEmailChange } from '../api/session'
import { accountText } from '../text/account'
import { Notice } from '../ui/Notice'
import { MailedToken } from './MailedToken'

const route = getRouteApi('/account/confirm-email')

/** The target of the link in the email that confirms a new address. */
export function ConfirmEmail() {
  const { token } = route.useSearch()
  return (
    <MailedToken
      token={token}
      send={confirmEmailChange}
      question={accountText.changeQuestion}
      action={accountText.changeAddress}
      done={accountText.addressChanged}
      hint={accountText.addressChangedHelp}
      refused={(message) => (
        <Notice tone="danger" title={accountText.linkInvalid}>
          {message}
        </Notice>
      )}
    />
  )
}
