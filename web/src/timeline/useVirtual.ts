import { useCallback, useLayoutEffect, useRef, useState, type Ref } from "react"
import { useHeights } from "./heights"
import { positions, rowAt, rowsIn } from "./positions"

/** How many pixels beside the view are in the document, and how many of them may be used up before more are drawn. */
const overscan = 900
const reserve = 300
const nearEnd = 48
/** How far below the top of the view a row stands that somebody jumps to. */
const below = 80

export interface Virtual {
  first: number
  last: number
  before: number
  after: number
  scroller: Ref<HTMLDivElement>
  measure: (key: string) => (element: HTMLElement | null) => void
  onScroll: () => void
  isAtEnd: boolean
  toEnd: () => void
  toIndex: (index: number) => void
  /** The key of the row that keeps its place: the one at the top of the view, or the one that was jumped to. */
  topKey: () => string | null
  /** Makes a row keep its place, from where it is now. */
  hold: (key: string) => void
  /** Where the person scrolled last: -1 up, 1 down, 0 nowhere yet. */
  direction: () => number
}

/**
 * Rows of unknown heights, of which only those near the view are in the document. One row keeps its place when rows are
 * added before it or change their heights; at the end the view follows new rows.
 * @param mayFollow false while the last row is not the last that there is
 */
export function useVirtual(keys: readonly string[], mayFollow: boolean): Virtual {
  const scroller = useRef<HTMLDivElement>(null)
  const [, redraw] = useState(0)
  const { known, measure, isChanged } = useHeights(keys, () => redraw((count) => count + 1))
  const anchor = useRef<{ key: string; offset: number } | null>(null)
  const follows = useRef(true)
  /** Where this has put the view; an event about that is not the person's. */
  const placed = useRef(-1)
  const direction = useRef(0)
  const drawn = useRef({ first: 0, last: 0 })
  const [height, setHeight] = useState(800)
  const [isAtEnd, setAtEnd] = useState(true)

  if (!mayFollow) follows.current = false
  const tops = positions(keys, known)
  const total = tops[keys.length] ?? 0
  const held = follows.current ? total - height : placeOf(anchor.current, keys, tops)
  const [first, last] = rowsIn(tops, Math.max(0, held ?? placed.current), height, overscan)
  drawn.current = { first, last }

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    // Rows that came into the document are measured by now: their real heights give the row that is held its place.
    if (isChanged()) return redraw((count) => count + 1)
    const wanted = follows.current ? element.scrollHeight - element.clientHeight : placeOf(anchor.current, keys, tops)
    if (wanted === null || Math.abs(element.scrollTop - wanted) <= 1) return
    element.scrollTop = wanted
    placed.current = element.scrollTop
  })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const resized = new ResizeObserver(() => setHeight(element.clientHeight))
    resized.observe(element)
    return () => resized.disconnect()
  }, [])

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element || Math.abs(element.scrollTop - placed.current) <= 1) return
    direction.current = Math.sign(element.scrollTop - placed.current) || direction.current
    placed.current = element.scrollTop
    const atEnd = mayFollow && element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    const wasAtEnd = follows.current
    follows.current = atEnd
    setAtEnd(atEnd)
    // The view has followed the last row: what is drawn does not depend on the place.
    if (atEnd && wasAtEnd) return
    const places = positions(keys, known)
    const index = rowAt(places, element.scrollTop)
    const key = keys[index]
    anchor.current = key === undefined ? null : { key, offset: element.scrollTop - (places[index] ?? 0) }
    const [from, to] = rowsIn(places, element.scrollTop, element.clientHeight, reserve)
    const { first: firstDrawn, last: lastDrawn } = drawn.current
    if (from < firstDrawn || to > lastDrawn || wasAtEnd !== atEnd) redraw((count) => count + 1)
  }, [keys, mayFollow])

  const keep = (key: string, offset: number) => {
    follows.current = false
    setAtEnd(false)
    anchor.current = { key, offset }
    redraw((count) => count + 1)
  }
  const toEnd = useCallback(() => {
    follows.current = true
    setAtEnd(true)
    redraw((count) => count + 1)
  }, [])
  const toIndex = (index: number) => {
    const key = keys[index]
    if (key !== undefined) keep(key, -below)
  }
  const hold = (key: string) => {
    const index = keys.indexOf(key)
    const element = scroller.current
    if (index < 0 || !element || follows.current) return
    keep(key, element.scrollTop - (positions(keys, known)[index] ?? 0))
  }
  return {
    first, last, before: tops[first] ?? 0, after: total - (tops[last] ?? total), scroller, measure, onScroll,
    isAtEnd: isAtEnd && mayFollow, toEnd, toIndex, topKey: () => anchor.current?.key ?? null, hold, direction: () => direction.current,
  }
}

/** Where the view has to be for a row to keep its place; `null`: it is not there. */
function placeOf(anchor: { key: string; offset: number } | null, keys: readonly string[], tops: Float64Array): number | null {
  const index = anchor === null ? -1 : keys.indexOf(anchor.key)
  return anchor === null || index < 0 ? null : Math.max(0, (tops[index] ?? 0) + anchor.offset)
}
