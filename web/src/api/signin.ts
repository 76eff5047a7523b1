import { base, address } from "../lib/base"
import { ApiError, asApiError, errorOf } from "./errors"

/** The access token lives in memory alone. The refresh token is in a cookie that no script can read. */
interface Tokens {
  access_token: string
  expires_in: number
  device_id: string
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
async function locked(work: () => Promise<Access>): Promise<Access> {
  return navigator.locks ? ((await navigator.locks.request(lockName, work)) as Access) : work()
}

async function refresh(): Promise<Access> {
  return keep(await request("POST", "web/session/refresh", { base: base.pathname }))
}

/** Signs this browser in. Returns false while a person has yet to approve it: ask again with the same secret. */
export async function signIn(secret: string, name: string): Promise<boolean> {
  const answer = await request("POST", "web/session", { secret, name, base: base.pathname })
  if (answer.status === 202) return false
  await keep(answer)
  return true
}

export async function signOut(): Promise<void> {
  await request("DELETE", "web/session?base=" + encodeURIComponent(base.pathname))
  access = null
}

async function keep(answer: Response): Promise<Access> {
  const tokens = (await answer.json()) as Tokens
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
