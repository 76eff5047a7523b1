import { readUsage } from "../api/usage"
import { dayOf } from "../lib/days"
import { listen } from "../live/live"
import { Store } from "../lib/store"

export interface Sums {
  cost: number
  tokens: number
}

/** Cost and tokens of this day, by the browser's clock. */
export const today = new Store<Sums | null>(null)

const pauseMilliseconds = 30_000
let timer = 0

export function startToday(): void {
  const later = () => {
    if (timer) return
    timer = window.setTimeout(() => {
      timer = 0
      void load()
    }, pauseMilliseconds)
  }
  listen({ row: later, reload: () => void load() })
  void load()
}

async function load(): Promise<void> {
  try {
    const { total } = await readUsage("model", dayOf(Date.now()))
    today.set({ cost: total.cost, tokens: total.tokens })
  } catch {
    // What was known stays.
  }
}
