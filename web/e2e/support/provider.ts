import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Who signs in with a provider. */
interface Person {
  sub: string
  email: string
  email_verified: boolean
  name: string
}

/** An OpenID Connect provider with one person, who is signed in and agrees to everything. */
export class Provider {
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  /** The queries of the sign-ins that have begun, by their codes. */
  private readonly begun = new Map<string, URLSearchParams>()
  private readonly listener = createServer((request, response) => {
    const at = new URL(request.url ?? '', this.issuer)
    if (at.pathname === '/authorize')
      return void response.writeHead(302, { Location: this.back(at.searchParams) }).end()
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const content = this.contentOf(at.pathname, new URLSearchParams(body))
      response.writeHead(content ? 200 : 400, { 'Content-Type': 'application/json' }).end(JSON.stringify(content ?? {}))
    })
  })

  constructor(private readonly person: Person) {}

  async start() {
    await new Promise<void>((done) => this.listener.listen(0, '127.0.0.1', done))
  }

  stop() {
    this.listener.closeAllConnections()
    this.listener.close()
  }

  get issuer() {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`
  }

  private back(query: URLSearchParams) {
    const code = randomUUID()
    this.begun.set(code, query)
    return `${query.get('redirect_uri')}?${new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()}`
  }

  private contentOf(path: string, form: URLSearchParams): object | undefined {
    const { issuer } = this
    if (path === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      }
    if (path === '/keys')
      return { keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: '1', use: 'sig', alg: 'RS256' }] }
    const query = this.begun.get(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')

    if (path !== '/token' || verifier !== query?.get('code_challenge')) return undefined
    const now = Math.floor(Date.now() / 1000)
    const about = { iss: issuer, aud: query.get('client_id'), nonce: query.get('nonce'), iat: now, exp: now + 300 }
    return { access_token: 'x', token_type: 'Bearer', id_token: this.signed({ ...about, ...this.person }) }
  }

  private signed(claims: object) {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const text = `${encode({ alg: 'RS256', kid: '1' })}.${encode(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), this.keys.privateKey).toString('base64url')}`
  }
}
