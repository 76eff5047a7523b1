import { Store } from "../../lib/store"

/** What was discarded here, and what brings it back. */
export interface Discarded {
  project: string
  undo: string
  what: string
  at: string
}

const storeKey = "monitor.discarded"
const most = 20

function read(): Discarded[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storeKey) ?? "[]")
    return Array.isArray(kept) ? kept as Discarded[] : []
  } catch {
    return []
  }
}

export const discarded = new Store<readonly Discarded[]>(read())

export function noteDiscarded(one: Discarded): void {
  keep([one, ...discarded.get()].slice(0, most))
}

export function dropDiscarded(undo: string): void {
  keep(discarded.get().filter((one) => one.undo !== undo))
}

function keep(list: readonly Discarded[]): void {
  discarded.set(list)
  sessionStorage.setItem(storeKey, JSON.stringify(list))
}
