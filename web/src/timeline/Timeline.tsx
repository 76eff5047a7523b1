import { useEffect, useMemo, useState } from "react"
import type { Store } from "../lib/store"
import { useStore } from "../lib/store"
import { Fault } from "../parts/Notice"
import { t } from "../words/words"
import { filePath, isError, type Item } from "./model"
import { Row } from "./Row"
import type { TimelineSource, TimelineState } from "./source"
import { useVirtual } from "./useVirtual"

const nearStart = 800

export type Target = "error" | "you" | "file"

interface Props {
  source: TimelineSource
  /** Where the person wants to go next; each click is another object. */
  jump: { target: Target; turn: number } | null
}

export function Timeline({ source, jump }: Props) {
  const state = useStore(source.state as Store<TimelineState>)
  const { items, hasOlder, isLoading } = state
  const keys = useMemo(() => items.map((item) => item.key), [items])
  const virtual = useVirtual(keys)
  const [marked, setMarked] = useState<string | null>(null)
  const news = useNews(items, virtual.isAtEnd)
  source.isFollowing = virtual.isAtEnd

  useEffect(() => {
    const element = virtual.scroller.current
    if (hasOlder && !isLoading && element && element.scrollTop < nearStart && virtual.first < 20) void source.older()
  })
  useEffect(() => {
    if (!jump) return
    const from = marked === null ? items.length : keys.indexOf(marked)
    const index = previous(items, from < 0 ? items.length : from, jump.target)
    if (index < 0) return
    setMarked(items[index]?.key ?? null)
    virtual.toIndex(index)
  }, [jump])

  return (
    <div className="timebox">
      <div className="time" ref={virtual.scroller} onScroll={virtual.onScroll} tabIndex={0} role="region"
        aria-label={t("timeline")}>
        <Fault error={state.error} />
        {hasOlder && <p className="soft small middle">{t("older")}</p>}
        {!isLoading && items.length === 0 && !state.error && <p className="empty soft">{t("timeline.empty")}</p>}
        <div style={{ height: virtual.before }} />
        {items.slice(virtual.first, virtual.last).map((item) => (
          <div key={item.key} data-key={item.key} ref={virtual.measure(item.key)}>
            <Row item={item} isMarked={item.key === marked} />
          </div>
        ))}
        <div style={{ height: virtual.after }} />
      </div>
      {!virtual.isAtEnd && (
        <button type="button" className="news" onClick={virtual.toEnd}>
          {news > 0 ? t("timeline.news", { n: news }) : t("timeline.end")}
        </button>
      )}
    </div>
  )
}

/** How many items came since the person left the end. */
function useNews(items: readonly Item[], isAtEnd: boolean): number {
  const lastSeq = items[items.length - 1]?.seq ?? 0
  const [seen, setSeen] = useState(lastSeq)
  useEffect(() => {
    if (isAtEnd) setSeen(lastSeq)
  }, [isAtEnd, lastSeq])
  if (isAtEnd) return 0
  let count = 0
  for (let at = items.length - 1; at >= 0 && items[at]!.seq > seen; at--) count++
  return count
}

/** The nearest one above; from the first one it begins at the end again. */
function previous(items: readonly Item[], from: number, target: Target): number {
  const fits = (item: Item) => target === "error" ? isError(item) : target === "you" ? item.kind === "you"
    : filePath(item) !== undefined
  for (let step = 1; step <= items.length; step++) {
    const index = (from - step + items.length) % items.length
    const item = items[index]
    if (item && fits(item)) return index
  }
  return -1
}
