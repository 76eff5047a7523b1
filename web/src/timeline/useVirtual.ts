import { useCallback, useLayoutEffect, useRef, useState, type Ref } from "react"

const guess = 44
const overscan = 600
const nearEnd = 48
/** How many heights of rows that are gone are kept, before they are removed together. */
const forgotten = 2_000

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
  /** The key of the row at the top of the view. */
  topKey: () => string | null
}

/**
 * Rows of unknown heights, of which only those near the view are in the document. The row at the top of the view keeps
 * its place when rows are added before it or change their heights; at the end the view follows new rows.
 * @param mayFollow false while the last row is not the last that there is
 */
export function useVirtual(keys: readonly string[], mayFollow: boolean): Virtual {
  const scroller = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>()).current
  const anchor = useRef<{ key: string; offset: number } | null>(null)
  const follows = useRef(true)
  const [view, setView] = useState({ top: 0, height: 800 })
  const [isAtEnd, setAtEnd] = useState(true)
  const [, redraw] = useState(0)
  const waits = useRef(false)

  if (!mayFollow) follows.current = false
  const tops = positions(keys, heights)
  const total = tops[keys.length] ?? 0
  // At the end the rows below the view are what counts, whatever the old position was.
  const top = follows.current ? Math.max(0, total - view.height) : view.top
  const first = Math.max(0, find(tops, top - overscan))
  const last = Math.min(keys.length, find(tops, top + view.height + overscan) + 1)

  const observer = useRef<ResizeObserver | null>(null)
  observer.current ??= new ResizeObserver((changes) => {
    let isChanged = false
    for (const change of changes) {
      const element = change.target as HTMLElement
      const key = element.dataset.key
      const height = element.offsetHeight
      if (key === undefined || height === 0 || heights.get(key) === height) continue
      heights.set(key, height)
      isChanged = true
    }
    if (isChanged && !waits.current) {
      waits.current = true
      requestAnimationFrame(() => {
        waits.current = false
        redraw((count) => count + 1)
      })
    }
  })
  const refs = useRef(new Map<string, (element: HTMLElement | null) => void>()).current
  const measure = useCallback((key: string) => {
    const known = refs.get(key)
    if (known) return known
    let shown: HTMLElement | null = null
    const made = (element: HTMLElement | null) => {
      if (shown) observer.current?.unobserve(shown)
      shown = element
      if (!element) {
        refs.delete(key)
        return
      }
      if (!heights.has(key)) heights.set(key, element.offsetHeight)
      observer.current?.observe(element)
    }
    refs.set(key, made)
    return made
  }, [])
  if (heights.size > keys.length + forgotten) {
    const current = new Set(keys)
    for (const key of heights.keys()) if (!current.has(key)) heights.delete(key)
  }

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    if (follows.current) {
      element.scrollTop = element.scrollHeight
    } else if (anchor.current) {
      const index = keys.indexOf(anchor.current.key)
      if (index < 0) return
      const wanted = (tops[index] ?? 0) + anchor.current.offset
      if (Math.abs(element.scrollTop - wanted) > 1) element.scrollTop = wanted
    }
  })

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const resized = new ResizeObserver(() => setView((was) => ({ ...was, height: element.clientHeight })))
    resized.observe(element)
    return () => {
      resized.disconnect()
      observer.current?.disconnect()
    }
  }, [])

  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const atEnd = mayFollow && element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    const wasAtEnd = follows.current
    follows.current = atEnd
    setAtEnd(atEnd)
    // The view has followed the last row: what is drawn does not depend on the place.
    if (atEnd && wasAtEnd) return
    const places = positions(keys, heights)
    const index = Math.max(0, find(places, element.scrollTop))
    const key = keys[index]
    anchor.current = key === undefined ? null : { key, offset: element.scrollTop - (places[index] ?? 0) }
    // Also where the place is the old one: keeping the anchor may have moved it in between, and this drew nothing.
    setView({ top: element.scrollTop, height: element.clientHeight })
  }, [keys, mayFollow])

  const toEnd = useCallback(() => {
    follows.current = true
    setAtEnd(true)
    redraw((count) => count + 1)
  }, [])
  const toIndex = useCallback((index: number) => {
    const key = keys[index]
    if (key === undefined) return
    follows.current = false
    setAtEnd(false)
    anchor.current = { key, offset: -80 }
    const place = Math.max(0, (positions(keys, heights)[index] ?? 0) - 80)
    setView((was) => ({ ...was, top: place }))
  }, [keys])

  return {
    first, last, before: tops[first] ?? 0, after: total - (tops[last] ?? total), scroller, measure, onScroll,
    isAtEnd: isAtEnd && mayFollow, toEnd, toIndex, topKey: () => anchor.current?.key ?? null,
  }
}

/** Where each row begins, and at the end the height of all. */
function positions(keys: readonly string[], heights: Map<string, number>): Float64Array {
  const tops = new Float64Array(keys.length + 1)
  for (let index = 0; index < keys.length; index++) {
    tops[index + 1] = tops[index]! + (heights.get(keys[index]!) ?? guess)
  }
  return tops
}

/** The row that covers a position. */
function find(tops: Float64Array, position: number): number {
  let [low, high] = [0, tops.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (tops[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}
