import type { Store } from "../lib/store"
import type { MonitorEvent } from "../api/types"
import { isTarget, type Item, type Target } from "./model"
import type { TimelineState } from "./state"

/** How many pages one search for a place may read. */
const searchedPages = 50

interface Walked {
  state: Store<TimelineState>
  older: () => Promise<void>
  newer: () => Promise<void>
}

/**
 * Looks for the nearest item of a kind, also in what has to be read for that.
 * @param from the key of the item to begin beside; `null`: the end
 * @param step -1: before it; 1: after it
 * @returns its key; `null` if there is none
 */
export async function walk(source: Walked, target: Target, from: string | null, step: 1 | -1): Promise<string | null> {
  for (let pages = 0; pages < searchedPages; pages++) {
    const { items, hasOlder, hasNewer } = source.state.get()
    const known = from === null ? -1 : items.findIndex((item) => item.key === from)
    const start = known < 0 ? (step < 0 ? items.length : -1) : known
    for (let at = start + step; at >= 0 && at < items.length; at += step) {
      const item = items[at]
      if (item && isTarget(item, target)) return item.key
    }
    // What is there now has been looked through: go on beside it.
    const edge = step < 0 ? items[0] : items[items.length - 1]
    if (!edge || !(step < 0 ? hasOlder : hasNewer)) return null
    from = edge.key
    await (step < 0 ? source.older() : source.newer())
  }
  return null
}

/** The key of the item that tells of an event: its own, that of its call, or the last one before it. */
export function itemOf(events: readonly MonitorEvent[], items: readonly Item[], seq: number): string | undefined {
  const event = events.find((one) => one.seq === seq)
  const call = (event?.payload as { tool_use_id?: unknown } | undefined)?.tool_use_id
  const own = items.find((item) => item.seq === seq || (item.kind === "tool" && item.key === call))
  return (own ?? items.filter((item) => item.seq > 0 && item.seq < seq).pop() ?? items[0])?.key
}
