import { useEffect, useMemo } from "react"
import type { Store } from "../lib/store"
import { dayOf } from "../lib/days"
import { useStore } from "../lib/store"
import { Fault } from "../parts/Notice"
import { dateAndTime } from "../lib/time"
import { t } from "../words/words"
import type { Item } from "./model"
import { Row } from "./Row"
import { Scrubber } from "./Scrubber"
import type { TimelineSource, TimelineState } from "./source"
import { useJumps, type Jump, type Places } from "./useJumps"
import { useVirtual } from "./useVirtual"

const nearEdge = 800
const nearRows = 20

interface Props {
  source: TimelineSource
  /** Where the person wants to go next; each click is another object. */
  jump: Jump | null
  /** The `seq` of the event to be shown first; absent: the newest. */
  at?: number
}

export function Timeline({ source, jump, at }: Props) {
  const state = useStore(source.state as Store<TimelineState>)
  const { items, hasOlder, hasNewer, isLoading, span } = state
  const keys = useMemo(() => items.map((item) => item.key), [items])
  const places = useMemo<Places>(() => ({
    indexOf: (item) => keys.indexOf(item), itemAt: (row) => row, reveal: () => undefined }), [keys])
  const virtual = useVirtual(keys, !hasNewer)
  const { marked, isMoving, goTo } = useJumps(source, jump, at, places, keys.length > 0, virtual)
  source.isFollowing = virtual.isAtEnd
  if (virtual.isAtEnd) source.firstUnseen = 0

  const readMore = () => {
    const element = virtual.scroller.current
    if (isLoading || isMoving || source.isSeeking || state.error || !element) return
    const hasRoom = !source.isFull
    const isNearTop = element.scrollTop < nearEdge && virtual.first < nearRows
    if (hasOlder && isNearTop && (hasRoom || virtual.direction() < 0)) void source.older()
    else if (hasNewer && virtual.last > keys.length - nearRows && (hasRoom || virtual.direction() >= 0)) void source.newer()
  }
  useEffect(readMore)
  const toEnd = () => {
    if (hasNewer) void source.goTo(null).then(virtual.toEnd)
    else virtual.toEnd()
  }
  const top = items[Math.max(0, keys.indexOf(virtual.topKey() ?? ""))]

  return (
    <div className="timebox">
      <div className="time" ref={virtual.scroller} tabIndex={0} role="region" aria-label={t("timeline")} onScroll={() => {
        virtual.onScroll()
        readMore()
      }}>
        <Fault error={state.error} />
        {!isLoading && items.length === 0 && !state.error && <p className="empty soft">{t("timeline.empty")}</p>}
        <div style={{ height: virtual.before }} />
        {items.slice(virtual.first, virtual.last).map((item, index) => (
          <div key={item.key} data-key={item.key} ref={virtual.measure(item.key)}>
            <Row item={item} isMarked={item.key === marked} day={newDay(items, virtual.first + index)}
              agent={newAgent(items, virtual.first + index)} />
          </div>
        ))}
        <div style={{ height: virtual.after }} />
      </div>
      {isLoading && hasOlder && virtual.first === 0 && <p className="older soft small" role="status">{t("older")}</p>}
      {(hasOlder || hasNewer) && span.first > 0 && top && (
        <Scrubber span={span} at={virtual.isAtEnd ? span.last : placeIn(items, top)} time={dateAndTime(top.at)}
          onGo={(seq) => seq >= span.last ? toEnd() : goTo(seq)} />
      )}
      {!virtual.isAtEnd && (
        <button type="button" className="news" onClick={toEnd}>
          {newsIn(items, source.firstUnseen) > 0 ? t("timeline.news", { n: newsIn(items, source.firstUnseen) }) : t("timeline.end")}
        </button>
      )}
    </div>
  )
}

/** The `seq` of an item; of a text of the transcript, which has none, that of the event before it. */
function placeIn(items: readonly Item[], item: Item): number {
  for (let at = items.indexOf(item); at >= 0; at--) if (items[at]!.seq > 0) return items[at]!.seq
  return item.seq
}

/** How many items came since the person left the end. */
function newsIn(items: readonly Item[], from: number): number {
  return from === 0 ? 0 : items.reduce((count, item) => item.seq >= from ? count + 1 : count, 0)
}

/** The day of an item where another one begins; the rows themselves tell the time of day alone. */
function newDay(items: readonly Item[], index: number): string | undefined {
  const day = dayOf(items[index]!.at)
  const before = items[index - 1]
  return day === dayOf(before ? before.at : Date.now()) ? undefined : day
}

/** How far back the line of another subagent is looked for. */
const agentRows = 100

/** The subagent of an item, where the last line of a subagent before it was of another one. */
function newAgent(items: readonly Item[], index: number): string | undefined {
  const { agent, agentType } = items[index]!
  if (agent === undefined) return undefined
  for (let at = index - 1; at >= 0 && at >= index - agentRows; at--) {
    const before = items[at]!.agent
    if (before === agent) return undefined
    if (before !== undefined) break
  }
  return agentType ? `${agentType} ${agent.slice(0, 8)}` : t("agent", { id: agent.slice(0, 8) })
}

