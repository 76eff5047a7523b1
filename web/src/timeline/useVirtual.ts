import { useLayoutEffect, useMemo, useReducer, useRef, useState, type Ref } from "react"
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
  toBeginning: () => void
  toIndex: (index: number) => void
  /** The key of the row that keeps its place: the one at the top of the view, or the one that was jumped to. */
  topKey: () => string | null
  /** Makes a row keep its place, from where it is now. */
  hold: (key: string) => void
  /** Where the person scrolled last: -1 up, 1 down, 0 nowhere yet. */
  direction: () => number
}

/** Where the view is, and what keeps it there. */
class Standing {
  anchor: { key: string; offset: number } | null = null
  follows = true
  /** Where the page has put the view; an event about that is not the person's. */
  placed = -1
  direction = 0
  first = 0
  last = 0
}

/**
 * Rows of unknown heights, of which only those near the view are in the document. One row keeps its place when rows are
 * added before it or change their heights; at the end the view follows new rows.
 * @param mayFollow false while the last row is not the last that there is
 */
export function useVirtual(keys: readonly string[], mayFollow: boolean): Virtual {
  const scroller = useRef<HTMLDivElement>(null)
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const { known, measure, isChanged } = useHeights(keys, redraw)
  const standing = useMemo(() => new Standing(), [])
  const [height, setHeight] = useState(800)
  const [isAtEnd, setAtEnd] = useState(true)

  if (!mayFollow) standing.follows = false
  const tops = positions(keys, known)
  const total = tops[keys.length] ?? 0
  const held = standing.follows ? total - height : placeOf(standing, keys, tops) ?? standing.placed
  const [first, last] = rowsIn(tops, Math.max(0, held), height, overscan)
  Object.assign(standing, { first, last })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    // The browser moves the view to the end of what has become shorter, and no further. That is not the person's scrolling.
    standing.placed = Math.min(standing.placed, element.scrollHeight - element.clientHeight)
    // The person has scrolled up, and the event about it comes after this drawing.
    if (standing.follows && element.scrollTop < standing.placed - nearEnd) return onScroll()
    // Rows that came into the document are measured by now: their real heights give the row that is held its place.
    if (isChanged()) return redraw()
    const wanted = standing.follows ? element.scrollHeight - element.clientHeight : placeOf(standing, keys, tops)
    if (wanted === null || Math.abs(element.scrollTop - wanted) <= 1) return
    element.scrollTop = wanted
    standing.placed = element.scrollTop
  })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const resized = new ResizeObserver(() => setHeight(element.clientHeight))
    resized.observe(element)
    return () => resized.disconnect()
  }, [])

  const onScroll = () => {
    const element = scroller.current
    if (!element || !scrolled(standing, element, keys, known, mayFollow)) return
    setAtEnd(standing.follows)
    redraw()
  }
  const follow = (is: boolean) => {
    standing.follows = is
    // Where everything is folded into a few rows, reading on in the old direction would drop the row that was jumped to.
    standing.direction = 0
    setAtEnd(is)
    redraw()
  }
  const keep = (index: number, offset: (top: number) => number) => {
    const key = keys[index]
    if (key === undefined) return
    standing.anchor = { key, offset: offset(positions(keys, known)[index] ?? 0) }
    follow(false)
  }
  return {
    first, last, before: tops[first] ?? 0, after: total - (tops[last] ?? total), scroller, measure, onScroll,
    isAtEnd: isAtEnd && mayFollow, topKey: () => standing.anchor?.key ?? null, direction: () => standing.direction,
    toEnd: () => follow(true),
    toBeginning: () => {
      // What is read there is not drawn yet: no row of it can be held.
      standing.anchor = null
      standing.placed = 0
      if (scroller.current) scroller.current.scrollTop = 0
      follow(false)
    },
    toIndex: (index) => keep(index, () => -below),
    hold: (key) => {
      if (!standing.follows) keep(keys.indexOf(key), (top) => (scroller.current?.scrollTop ?? 0) - top)
    },
  }
}

/** Takes over where the person has scrolled to. Returns whether that changes what is to be drawn. */
function scrolled(standing: Standing, element: HTMLElement, keys: readonly string[], known: ReadonlyMap<string, number>, mayFollow: boolean): boolean {
  const { scrollTop, scrollHeight, clientHeight } = element
  if (Math.abs(scrollTop - standing.placed) <= 1) return false
  standing.direction = Math.sign(scrollTop - standing.placed)
  standing.placed = scrollTop
  const wasAtEnd = standing.follows
  standing.follows = mayFollow && scrollHeight - scrollTop - clientHeight < nearEnd
  // The view has followed the last row: what is drawn does not depend on the place.
  if (standing.follows && wasAtEnd) return false
  const tops = positions(keys, known)
  const index = rowAt(tops, scrollTop)
  const key = keys[index]
  standing.anchor = key === undefined ? null : { key, offset: scrollTop - (tops[index] ?? 0) }
  const [from, to] = rowsIn(tops, scrollTop, clientHeight, reserve)
  return from < standing.first || to > standing.last || wasAtEnd !== standing.follows
}

/** Where the view has to be for a row to keep its place; `null`: it is not there. */
function placeOf({ anchor }: Standing, keys: readonly string[], tops: Float64Array): number | null {
  const index = anchor === null ? -1 : keys.indexOf(anchor.key)
  return anchor === null || index < 0 ? null : Math.max(0, (tops[index] ?? 0) + anchor.offset)
}
