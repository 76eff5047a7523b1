import type { MonitorEvent } from "../api/types"
import type { Conversation } from "./conversation"
import type { Item } from "./model"

/** Whether so much was said between the events that are here that the beginning of it is left out. */
export function isCutBefore(events: readonly MonitorEvent[], conversation: Conversation): boolean {
  const first = events[0]
  return first !== undefined && conversation.isCutBefore(first.timestamp)
}

/** The same of its end. */
export function isCutAfter(events: readonly MonitorEvent[], conversation: Conversation): boolean {
  const last = events[events.length - 1]
  return last !== undefined && conversation.isCutAfter(last.timestamp)
}

/** The items of events and what was said between them, without those for which a part of the texts is not here. */
export function shownOf(events: readonly MonitorEvent[], items: readonly Item[], conversation: Conversation, hasOlder: boolean,
  hasNewer: boolean): Item[] {
  const [first, last] = [isCutBefore(events, conversation) && conversation.first, isCutAfter(events, conversation) && conversation.last]
  const isShown = ({ at }: Item) => !(first && at < first) && !(last && at > last)
  const from = first || (hasOlder ? events[0]?.timestamp : undefined)
  const to = last || (hasNewer ? events[events.length - 1]?.timestamp : undefined)
  return conversation.merge(first || last ? items.filter(isShown) : items, from, to)
}
