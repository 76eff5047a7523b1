import { Store } from "../lib/store"

const key = "monitor.searches"
const most = 8

/** What this browser searched for last, the newest first. */
export const searches = new Store<readonly string[]>(read())

function read(): string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "[]") as unknown[]
    return kept.filter((one): one is string => typeof one === "string").slice(0, most)
  } catch {
    return []
  }
}

export function keepSearch(text: string): void {
  const next = [text, ...searches.get().filter((one) => one !== text)].slice(0, most)
  searches.set(next)
  localStorage.setItem(key, JSON.stringify(next))
}

export function forgetSearches(): void {
  searches.set([])
  localStorage.removeItem(key)
}
