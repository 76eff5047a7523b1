import { readUsageSince } from "../api/usage"
import { listen } from "../live/live"
import { Store } from "../lib/store"

/** Tokens a minute, in and out, that each session uses at the moment: the mean of the last minutes. */
export const rates = new Store<ReadonlyMap<string, number>>(new Map())

const spanMinutes = 5
const pauseMilliseconds = 30_000
let timer = 0

export function startRates(): void {
  listen({ row: () => { timer ||= window.setTimeout(() => void load(), pauseMilliseconds) }, reload: () => void load() })
  void load()
}

async function load(): Promise<void> {
  clearTimeout(timer)
  timer = 0
  try {
    const rows = await readUsageSince("session", Date.now() - spanMinutes * 60_000)
    rates.set(new Map(rows.map((row) => [row.key, row.tokens / spanMinutes])))
    // It sinks again where nothing more happens.
    if (rows.length > 0) timer = window.setTimeout(() => void load(), 2 * pauseMilliseconds)
  } catch {
    // What was known stays.
  }
}
