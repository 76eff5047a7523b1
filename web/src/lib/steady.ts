import { useEffect, useReducer, useRef, type Ref } from "react"
import { blended } from "./hold"

/** How long after the last movement, touch or key a person counts as working in the list. */
const calmMilliseconds = 4_000
/** The same where the pointer or the focus rests on a prompt, which takes time to read. */
const readingMilliseconds = 10_000
const lookMilliseconds = 250
/** A click that comes so soon after a change was meant for what was there before. */
const surpriseMilliseconds = 700

/** An answered card keeps its place so long, unless the finger or the pointer goes elsewhere. */
const answeredMilliseconds = 30_000
const answered = ".card.keeps"

/** As long as somebody writes, whatever the time. */
const writing = "article :is(input[type=text], textarea, select):focus"
const underPointer = "article.wait:hover"
/** After a touch, `:hover` stays where the finger was. */
const canHover = matchMedia("(hover: hover)")

interface Options<T> {
  keyOf: (item: T) => string
  /** What must not change under the finger beside the order: the group, the cards. */
  formOf?: (item: T) => string
  /** A held item with what is new of it; `fresh` is absent once the item has gone. */
  blend?: (held: T, fresh: T | undefined) => T
  /** Whether the change of an item comes from this person alone, who need not be told of it. */
  isOwn?: (held: T, fresh: T | undefined) => boolean
}

export interface Steady<T> {
  shown: T[]
  /** How many items are new, gone or of another form. */
  waiting: number
  /** The items as they were when the list was held; the wanted ones otherwise. */
  held: readonly T[]
  apply: () => void
  area: {
    ref: Ref<HTMLDivElement>
    onPointerDown: (event: PointerEvent) => void
    onPointerMove: (event: PointerEvent) => void
    onPointerLeave: (event: PointerEvent) => void
    onKeyDown: () => void
    onClickCapture: (event: MouseEvent) => void
  }
}

/**
 * Holds a list while a person works in it: nothing moves under the finger. Returns what to show, how many changes wait,
 * and what applies them.
 * @param wanted the list by the newest state
 */
export function useSteady<T>(wanted: T[], { keyOf, formOf = () => "", blend = (held, fresh) => fresh ?? held,
  isOwn = () => false }: Options<T>): Steady<T> {
  const held = useRef<T[]>(wanted)
  const area = useRef<HTMLDivElement>(null)
  const actedAt = useRef(-Infinity)
  const changedAt = useRef(-Infinity)
  const isSurprised = useRef(false)
  const hasMoved = useRef(false)
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const mark = (item: T) => keyOf(item) + "\n" + formOf(item)
  const isSame = wanted.length === held.current.length && wanted.every((item, index) => mark(item) === mark(held.current[index]!))
  const busy = () => isBusy(area.current, actedAt.current, hasMoved.current)
  const isHeld = !isSame && busy()

  useEffect(() => {
    if (!isHeld) return
    const timer = window.setInterval(() => {
      if (!busy()) redraw()
    }, lookMilliseconds)
    return () => clearInterval(timer)
  })

  if (isHeld) {
    const fresh = new Map(wanted.map((item) => [keyOf(item), item]))
    held.current = held.current.map((item) => {
      const known = fresh.get(keyOf(item))
      return known && mark(known) === mark(item) ? known : item
    })
  } else {
    if (!isSame) changedAt.current = performance.now()
    held.current = wanted
  }
  const act = () => {
    actedAt.current = performance.now()
  }
  return {
    ...(isHeld ? blended(held.current, wanted, { keyOf, mark, blend, isOwn }) : { shown: wanted, waiting: 0 }),
    held: held.current,
    apply: () => {
      actedAt.current = -Infinity
      held.current = wanted
      redraw()
    },
    area: {
      ref: area,
      onPointerDown: (event) => {
        // A person who has moved the mouse since the change has seen it. No tap is ever ignored.
        isSurprised.current = event.pointerType === "mouse" && changedAt.current > actedAt.current
          && performance.now() - changedAt.current < surpriseMilliseconds
        hasMoved.current = false
        act()
      },
      onPointerMove: (event) => {
        if (event.pointerType !== "mouse") hasMoved.current = true
        act()
      },
      onKeyDown: act,
      onPointerLeave: (event) => {
        if (event.pointerType === "mouse") actedAt.current = -Infinity
      },
      onClickCapture: (event) => {
        if (!isSurprised.current || event.detail === 0) return
        isSurprised.current = false
        event.preventDefault()
        event.stopPropagation()
      },
    },
  }
}

function isBusy(area: HTMLElement | null, actedAt: number, hasMoved: boolean): boolean {
  const calm = performance.now() - actedAt
  if (calm < calmMilliseconds || area?.querySelector(writing)) return true
  if (!area) return false
  if (calm < answeredMilliseconds && area.querySelector(answered) && (canHover.matches ? area.matches(":hover") : !hasMoved)) return true
  if (calm > readingMilliseconds) return false
  return Boolean(area.querySelector("article.wait:focus-within")) || (canHover.matches && Boolean(area.querySelector(underPointer)))
}
