export interface Entry {
  id: string
  at: string
  actor: string
  action: string
  object?: string
  result: string
  peer?: string
  attempts?: number
}

export interface Shown {
  entry: Entry
  /** How many rows alike it stands for. */
  count: number
}

/** The rows with those folded that say the same: sign-ins are renewed every few minutes. */
export function foldedEntries(all: readonly Entry[]): Shown[] {
  const shown: Shown[] = []
  // The last renewal of each browser since another kind of entry. Several browsers renew their sign-ins at the same time.
  const since = new Map<string, Shown>()
  for (const entry of all) {
    if (entry.action !== "token.refresh") since.clear()
    const key = `${entry.actor} ${entry.result}`
    const same = entry.action === "token.refresh" ? since.get(key) : undefined
    if (same) {
      same.count += 1
      continue
    }
    const one = { entry, count: 1 }
    shown.push(one)
    if (entry.action === "token.refresh") since.set(key, one)
  }
  return shown
}
