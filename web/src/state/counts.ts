import { get } from "../api/http"
import type { Page, Session } from "../api/types"
import { Store } from "../lib/store"

/** How many sessions there are, also beyond those of the list; without the archive. */
export interface Counts {
  all: number
  ended: number
}

/** `null`: the list holds them all. */
export const counts = new Store<Counts | null>(null)

const pauseMilliseconds = 10_000
let timer = 0

/**
 * @param total by the server; `null`: a session has come that was not in the list
 * @param listed how many the list holds
 */
export function countAll(total: number | null, listed: number): void {
  if (total !== null && total <= listed) return counts.set(null)
  if (total !== null) return void readCounts()
  if (counts.get() && !timer) timer = window.setTimeout(() => void readCounts(), pauseMilliseconds)
}

async function readCounts(): Promise<void> {
  timer = 0
  const count = async (status: string) => (await get<Page<Session>>("/v1/sessions", { status, limit: 1, fields: "id" })).meta?.total ?? 0
  try {
    const [all, ended] = await Promise.all([count("all"), count("ended")])
    counts.set({ all, ended })
  } catch {
    // What was known stays.
  }
}

/** How many sessions of a group are not in the list: most are ended, and the others idle. */
export function beyond(known: Counts | null, all: Iterable<Session>): { ended: number; idle: number } {
  if (!known) return { ended: 0, idle: 0 }
  const listed = [...all].filter((session) => !session.archived)
  const ended = listed.filter((session) => session.status === "ended").length
  return {
    ended: Math.max(0, known.ended - ended),
    idle: Math.max(0, known.all - known.ended - (listed.length - ended)),
  }
}
