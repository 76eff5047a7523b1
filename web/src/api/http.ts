import { address } from "../lib/base"
import { ApiError, asApiError, errorOf } from "./errors"
import { currentAccess, dropAccess } from "./signin"

type Options = Pick<RequestInit, "signal" | "keepalive">

export type Query = Record<string, string | number | undefined | null>

/** Calls the server with an access token; a token that the server refuses is renewed once. */
export async function call(method: string, path: string, body?: unknown, options: Options = {}): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const access = await currentAccess()
    let answer: Response
    try {
      const headers: Record<string, string> = { authorization: "Bearer " + access.token }
      if (body !== undefined) headers["content-type"] = "application/json"
      answer = await fetch(address(path.replace(/^\//, "")), {
        method,
        headers,
        credentials: "omit",
        cache: "no-store",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...options,
      })
    } catch (fault) {
      throw asApiError(fault)
    }
    if (answer.ok) return answer
    const error = await errorOf(answer)
    if (answer.status !== 401 || attempt > 0) throw error
    dropAccess(access)
  }
}

/** A server or a network that has not answered by then does not answer. */
const patienceMilliseconds = 45_000

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), patienceMilliseconds)
  const end = () => stop.abort()
  if (signal?.aborted) end()
  signal?.addEventListener("abort", end)
  try {
    const answer = await call("GET", path + search(query), undefined, { signal: stop.signal })
    return (await answer.json()) as T
  } catch (fault) {
    throw asApiError(fault)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
  }
}

/** @param isLeaving the request goes on after the page is closed */
export async function send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, isLeaving = false): Promise<T> {
  const answer = await call(method, path, body, { keepalive: isLeaving })
  const text = await answer.text()
  return (text ? JSON.parse(text) : {}) as T
}

/** `null` where the server does not have the route. */
export async function getIfThere<T>(path: string, query: Query = {}): Promise<T | null> {
  try {
    return await get<T>(path, query)
  } catch (fault) {
    if (fault instanceof ApiError && fault.isMissingRoute) return null
    throw fault
  }
}

export function search(query: Query): string {
  const used = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "")
  if (used.length === 0) return ""
  return "?" + used.map(([name, value]) => name + "=" + encodeURIComponent(String(value))).join("&")
}

/** A part of a path. */
export function part(text: string): string {
  return encodeURIComponent(text)
}
