import { base, address } from "../lib/base"
import { forget, keep, kept } from "../lib/kept"
import { ApiError, asApiError, errorOf } from "./errors"

/**
 * The access token lives in memory alone. The refresh token is in a cookie that no script can read. The browser sends that to the
 * programs on all ports of the host, so it counts only with a secret that this origin keeps.
 */
interface Tokens {
  access_token: string
  expires_in: number
  device_id: string
  /** With the first tokens of a sign-in. */
  browser_secret?: string
}

export interface Access {
  token: string
  deviceId: string
  /** In milliseconds, by this machine's monotonic clock. */
  until: number
}

let access: Access | null = null
let pending: Promise<Access> | null = null

const lockName = "monitor-refresh"
/** Behind a proxy, several servers may share the origin. */
const secretName = "browser-secret " + base.pathname
/** Tokens are renewed this long before they expire. */
const marginSeconds = 60

/** A valid access token. Throws 401 if this browser is not signed in. */
export function currentAccess(): Promise<Access> {
  if (access && access.until > performance.now()) return Promise.resolve(access)
  pending ??= locked(refresh).finally(() => {
    pending = null
  })
  return pending
}

/** The server has refused the token that was used last. */
export function dropAccess(used: Access): void {
  if (access === used) access = null
}

/** A refresh token can be used once, so all tabs and the worker take turns. */
async function locked<Result>(work: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? ((await navigator.locks.request(lockName, work)) as Result) : work()
}

async function proof(): Promise<object> {
  return { base: base.pathname, browser_secret: await kept(secretName) }
}

async function refresh(): Promise<Access> {
  return use((await (await request("POST", "web/session/refresh", await proof())).json()) as Tokens)
}

/** Signs this browser in. Returns false while a person has yet to approve it: ask again with the same secret. */
export function signIn(secret: string, name: string): Promise<boolean> {
  return locked(async () => {
    const answer = await request("POST", "web/session", { secret, name, base: base.pathname })
    if (answer.status === 202) return false
    const tokens = (await answer.json()) as Tokens
    if (tokens.browser_secret) await keep(secretName, tokens.browser_secret)
    use(tokens)
    return true
  })
}

export async function signOut(): Promise<void> {
  await request("DELETE", "web/session", await proof())
  await forget(secretName)
  access = null
}

function use(tokens: Tokens): Access {
  const until = performance.now() + 1000 * (tokens.expires_in - marginSeconds)
  access = { token: tokens.access_token, deviceId: tokens.device_id, until }
  return access
}

async function request(method: string, path: string, body?: object): Promise<Response> {
  let answer: Response
  try {
    answer = await fetch(address(path), {
      method,
      credentials: "same-origin",
      cache: "no-store",
      ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
    })
  } catch (fault) {
    throw asApiError(fault)
  }
  if (!answer.ok) throw (await errorOf(answer)) as ApiError
  return answer
}
