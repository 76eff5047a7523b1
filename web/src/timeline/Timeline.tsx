import { useEffect, useMemo, useRef, useState } from "react"
import type { Store } from "../lib/store"
import { dayOf } from "../lib/days"
import { useStore } from "../lib/store"
import { Fault } from "../parts/Notice"
import { t } from "../words/words"
import type { Item, Target } from "./model"
import { Row } from "./Row"
import type { TimelineSource, TimelineState } from "./source"
import { useVirtual, type Virtual } from "./useVirtual"

const nearEdge = 800
const nearRows = 20

interface Props {
  source: TimelineSource
  /** Where the person wants to go next; each click is another object. */
  jump: Jump | null
  /** The `seq` of the event to be shown first; absent: the newest. */
  at?: number
}

/** To the nearest place of a kind: before (-1) or after (1) the one that was found last. */
export interface Jump {
  target: Target
  step: 1 | -1
}

export function Timeline({ source, jump, at }: Props) {
  const state = useStore(source.state as Store<TimelineState>)
  const { items, hasOlder, hasNewer, isLoading } = state
  const keys = useMemo(() => items.map((item) => item.key), [items])
  const virtual = useVirtual(keys, !hasNewer)
  const { marked, isMoving } = useJumps(source, jump, at, keys, virtual)
  const news = useNews(items, virtual.isAtEnd)
  source.isFollowing = virtual.isAtEnd

  useEffect(() => {
    const element = virtual.scroller.current
    if (isLoading || isMoving || source.isSeeking || state.error || !element) return
    if (hasOlder && element.scrollTop < nearEdge && virtual.first < nearRows) void source.older()
    else if (hasNewer && virtual.last > items.length - nearRows) void source.newer()
  })
  const toEnd = () => {
    if (hasNewer) void source.newest().then(virtual.toEnd)
    else virtual.toEnd()
  }

  return (
    <div className="timebox">
      <div className="time" ref={virtual.scroller} onScroll={virtual.onScroll} tabIndex={0} role="region"
        aria-label={t("timeline")}>
        <Fault error={state.error} />
        {hasOlder && <p className="soft small middle">{t("older")}</p>}
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
      {!virtual.isAtEnd && (
        <button type="button" className="news" onClick={toEnd}>
          {news > 0 ? t("timeline.news", { n: news }) : t("timeline.end")}
        </button>
      )}
    </div>
  )
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

/** How many items came since the person left the end. */
function useNews(items: readonly Item[], isAtEnd: boolean): number {
  const lastSeq = items[items.length - 1]?.seq ?? 0
  const seen = useRef(lastSeq)
  useEffect(() => {
    if (isAtEnd) seen.current = lastSeq
  }, [isAtEnd, lastSeq])
  if (isAtEnd) return 0
  let count = 0
  for (let at = items.length - 1; at >= 0 && items[at]!.seq > seen.current; at--) count++
  return count
}

interface Jumps {
  /** The key of the row that was found last. */
  marked: string | null
  /** A row was found and is not in view yet. */
  isMoving: boolean
}

/** Goes where the person wants to go. */
function useJumps(source: TimelineSource, jump: Jump | null, at: number | undefined, keys: readonly string[],
  virtual: Virtual): Jumps {
  const [marked, setMarked] = useState<string | null>(null)
  /** The row to be shown as soon as it is there. */
  const [goal, setGoal] = useState<string | null>(null)
  const isThere = keys.length > 0
  useEffect(() => {
    // A jump that is asked for before the first page has come waits for it.
    if (!jump || !isThere) return
    let isCurrent = true
    const isNear = marked !== null && keys.indexOf(marked) >= virtual.first && keys.indexOf(marked) < virtual.last
    void source.seek(jump.target, isNear ? marked : virtual.isAtEnd ? null : virtual.topKey(), jump.step).then((found) => {
      if (!isCurrent || found === null) return
      setMarked(found)
      setGoal(found)
    })
    return () => {
      isCurrent = false
    }
  }, [jump, isThere])
  useEffect(() => {
    const found = at === undefined ? undefined : source.itemOf(at)
    if (!found) return
    setMarked(found)
    setGoal(found)
  }, [at, isThere])
  useEffect(() => {
    const index = goal === null ? -1 : keys.indexOf(goal)
    if (index < 0) return
    setGoal(null)
    virtual.toIndex(index)
    source.isSeeking = false
  }, [goal, keys])
  return { marked, isMoving: goal !== null }
}
