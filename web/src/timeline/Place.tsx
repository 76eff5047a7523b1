import { dateAndTime } from "../lib/time"
import type { Item } from "./model"
import { Scrubber } from "./Scrubber"
import type { TimelineState } from "./state"

interface Props {
  state: TimelineState
  /** The item at the top of the view; absent: the view is at the end. */
  top: string | undefined
  onGo: (seq: number) => void
  onEnd: () => void
}

/** Where a session is longer than what is loaded of it: the place in the whole of it. */
export function Place({ state: { items, span, isPart: isOfMore, hasOlder, hasNewer }, top, onGo, onEnd }: Props) {
  const last = items[items.length - 1]
  const isPart = span.first > 0 && (isOfMore || (last !== undefined && items.length > longList && !hasOlder && !hasNewer))
  if (!isPart || !last) return null
  const index = top === undefined ? -1 : items.findIndex((item) => item.key === top)
  return (
    <Scrubber span={span} at={index < 0 ? span.last : placeIn(items, index)} time={dateAndTime((items[index] ?? last).at)}
      onGo={(seq) => seq >= span.last ? onEnd() : onGo(seq)} />
  )
}

/** A list of so many items has a scrubber although all of it is loaded. */
const longList = 400

/** The `seq` of an item; of a text of the transcript, which has none, that of the event before it. */
function placeIn(items: readonly Item[], index: number): number {
  for (let at = index; at >= 0; at--) if (items[at]!.seq > 0) return items[at]!.seq
  return 0
}
