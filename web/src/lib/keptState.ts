import { useState } from "react"

/** So many are kept, the latest. */
const most = 40
const known = new Map<string, unknown>()

/** Like `useState`, for as long as the page is open: a part that is drawn anew elsewhere, or later, has its value again. */
export function useKeptState<V>(name: string, initial: () => V): [V, (change: (value: V) => V) => void] {
  const [value, setValue] = useState<V>(() => known.has(name) ? known.get(name) as V : initial())
  const change = (next: (value: V) => V) => setValue((was) => {
    const now = next(was)
    known.delete(name)
    known.set(name, now)
    if (known.size > most) known.delete(known.keys().next().value as string)
    return now
  })
  return [value, change]
}

/** Forgets what belongs to who has signed out. */
export function forgetKeptStates(): void {
  known.clear()
}
