import { useCallback, useEffect, useRef } from "react"
import type { Store } from "../lib/store"
import { useStore } from "../lib/store"
import { Fault, Skeleton } from "../parts/Notice"
import { t } from "../words/words"
import type { Line } from "./lines"
import { newAgent, newDay } from "./marks"
import { Row } from "./Row"
import { Place } from "./Place"
import type { TimelineSource } from "./source"
import type { TimelineState } from "./state"
import { useJumps, type Jump } from "./useJumps"
import { useLines } from "./useLines"
import { useVirtual, type Virtual } from "./useVirtual"

const nearEdge = 800
const nearRows = 20

interface Props {
  source: TimelineSource
  /** Where the person wants to go next; each click is another object. */
  jump: Jump | null
  /** The `seq` of the event to be shown first; absent: the newest. */
  at?: number
  /** Each event in a row of its own, in place of the conversation. */
  isLog: boolean
  /** The session's directory. */
  root: string | undefined
}

export function Timeline({ source, jump, at, isLog, root }: Props) {
  const state = useStore(source.state as Store<TimelineState>)
  const { items, hasOlder, hasNewer, isLoading } = state
  const { lines, keys, places, rowOf, toggle } = useLines(items, isLog)
  const virtual = useVirtual(keys, !hasNewer)
  const { marked, isMoving, goTo } = useJumps(source, jump, at, places, keys.length > 0, virtual)
  const readMore = useEdges(source, state, keys.length, isMoving, virtual)
  useKept(virtual, keys, places.reveal)
  useEffect(() => source.showLog(isLog), [source, isLog])
  const toEnd = () => {
    if (hasNewer) void source.goTo(null).then(virtual.toEnd)
    else virtual.toEnd()
  }
  const toBeginning = () => void source.toBeginning().then(virtual.toBeginning)
  const found = marked === null ? undefined : rowOf(marked)
  const onToggle = useStable((line: Line) => {
    virtual.hold(line.key)
    toggle(line)
  })
  const news = newsIn(items, source.firstUnseen)
  return (
    <div className="timebox">
      {(state.error ?? state.textError) && (
        <div className="unread">
          <Fault what={t(state.error ? "unread.events" : "unread.texts")} error={state.error ?? state.textError} again={() => source.again()} />
        </div>
      )}
      {isLoading && items.length === 0 && <Skeleton label={t("list.reading")} />}
      <div className={isLog ? "time log" : "time"} ref={virtual.scroller} tabIndex={0} role="region" aria-label={t("timeline")} onScroll={() => {
        virtual.onScroll()
        readMore()
      }} onKeyDown={(event) => {
        if (event.target !== event.currentTarget || event.key !== (hasOlder ? "Home" : "")) return
        event.preventDefault()
        toBeginning()
      }}>
        {!isLoading && items.length === 0 && !state.error && <p className="empty soft">{t("timeline.empty")}</p>}
        <div style={{ height: virtual.before }} />
        {lines.slice(virtual.first, virtual.last).map((line, index) => (
          <div key={line.key} data-key={line.key} ref={virtual.measure(line.key)}>
            <Row line={line} root={root} isLog={isLog} isMarked={line.key === found} day={newDay(lines, virtual.first + index)}
              agent={isLog ? newAgent(lines, virtual.first + index) : undefined} onToggle={onToggle} />
          </div>
        ))}
        <div style={{ height: virtual.after }} />
      </div>
      {isLoading && hasOlder && virtual.first === 0 && <p className="older soft small" role="status">{t("older")}</p>}
      <Place state={state} top={virtual.isAtEnd ? undefined : places.itemAt(virtual.topKey() ?? "")} onGo={goTo} onEnd={toEnd} />
      {hasOlder && (
        <button type="button" className="begin" aria-label={t("jump.begin")} title={t("jump.begin")} onClick={toBeginning}>
          <span aria-hidden="true">↑</span>
        </button>
      )}
      {!virtual.isAtEnd && <button type="button" className="news" onClick={toEnd}>{news > 0 ? t("timeline.news", { n: news }) : t("timeline.end")}</button>}
    </div>
  )
}

/** The same function at each drawing, which does what the latest one does. */
function useStable<T>(call: (value: T) => void): (value: T) => void {
  const latest = useRef(call)
  latest.current = call
  return useCallback((value: T) => latest.current(value), [])
}

/** Reads what is beyond the ends of what is loaded, as the person comes near. */
function useEdges(source: TimelineSource, state: TimelineState, count: number, isMoving: boolean, virtual: Virtual): () => void {
  const { hasOlder, hasNewer, isLoading } = state
  source.isFollowing = virtual.isAtEnd
  if (virtual.isAtEnd) source.firstUnseen = 0
  const readMore = () => {
    const element = virtual.scroller.current
    if (isLoading || isMoving || source.isSeeking || state.error || !element) return
    // Where much is folded, a few rows are all that is loaded: then reading on drops what is at the other end.
    const hasRoom = !source.isFull
    const isNearTop = element.scrollTop < nearEdge && virtual.first < nearRows
    if (hasOlder && isNearTop && (hasRoom || virtual.direction() < 0)) void source.older()
    else if (hasNewer && virtual.last > count - nearRows && (hasRoom || virtual.direction() >= 0)) void source.newer()
  }
  useEffect(readMore)
  return readMore
}

/** What the person reads stays open, although the calls around it are folded as the session goes on. */
function useKept(virtual: Virtual, keys: readonly string[], reveal: (item: string) => void): void {
  const top = virtual.isAtEnd ? null : virtual.topKey()
  const isGone = top !== null && !keys.includes(top)
  useEffect(() => {
    if (isGone && top !== null) reveal(top)
  }, [isGone, top])
}

/** How many items came since the person left the end. */
function newsIn(items: TimelineState["items"], from: number): number {
  return from === 0 ? 0 : items.reduce((count, item) => item.seq >= from ? count + 1 : count, 0)
}
