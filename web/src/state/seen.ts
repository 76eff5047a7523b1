import { Store } from "../lib/store"

export interface Seen {
  /** By session, in milliseconds since 1970. */
  sessions: Record<string, number>
  /** For all other sessions. */
  all: number
  /** When the person said to have seen them all; absent: never. */
  dismissed?: number
}

const key = "monitor.seen"
const most = 500

/** Until when this person has looked at each session, in this browser. */
export const seen = new Store<Seen>(read())

function read(): Seen {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "") as Seen
    if (typeof kept.all === "number" && kept.sessions) return kept
  } catch {
    // Nothing is kept yet.
  }
  const fresh = { sessions: {}, all: Date.now() }
  localStorage.setItem(key, JSON.stringify(fresh))
  return fresh
}

export function lookedAt(session: string): void {
  const newest = Object.entries({ ...seen.get().sessions, [session]: Date.now() })
    .sort((one, other) => other[1] - one[1]).slice(0, most)
  keep({ ...seen.get(), sessions: Object.fromEntries(newest) })
}

const pauseMilliseconds = 3_000
let timer = 0

/** As `lookedAt`, now and then while a session is being looked at. */
export function looksAt(session: string): void {
  if (!timer) timer = window.setTimeout(() => {
    timer = 0
    // Leaving a session has already marked it.
    if (location.hash.startsWith("#/s/" + encodeURIComponent(session))) lookedAt(session)
  }, pauseMilliseconds)
}

export function lookedAtAll(): void {
  keep({ sessions: {}, all: Date.now(), dismissed: Date.now() })
}

function keep(value: Seen): void {
  seen.set(value)
  localStorage.setItem(key, JSON.stringify(value))
}

export function startSeen(): void {
  window.addEventListener("storage", (event) => {
    if (event.key === key) seen.set(read())
  })
}
