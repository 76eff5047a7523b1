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

/** The rows with those folded that say the same one after another: sign-ins are renewed every few minutes. */
export function foldedEntries(all: readonly Entry[]): Shown[] {
  const shown: Shown[] = []
  for (const entry of all) {
    const last = shown[shown.length - 1]
    const isSame = last && last.entry.action === "token.refresh" && entry.action === "token.refresh" && last.entry.result === entry.result
      && last.entry.actor === entry.actor
    if (isSame) last.count += 1
    else shown.push({ entry, count: 1 })
  }
  return shown
}
