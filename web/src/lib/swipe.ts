import { useRef } from "react"

const least = 60
const mostAside = 40

interface Swipe {
  onPointerDown: (event: PointerEvent) => void
  onPointerUp: (event: PointerEvent) => void
  onPointerCancel: (event: PointerEvent) => void
}

/** The parts of a pointer's event that a movement consists of. */
interface Touch {
  pointerId: number
  /** Whether it is the first finger of a gesture. */
  isPrimary: boolean
  clientX: number
  clientY: number
}

/** Follows one finger. A second one ends that: then the person pinches, or holds the device. */
export class Stroke {
  private begun: Touch | null = null
  private readonly fingers = new Set<number>()

  /** @param isWanted whether a movement that begins here counts */
  down({ pointerId, isPrimary, clientX, clientY }: Touch, isWanted: boolean): void {
    // The first finger of a gesture: one whose end was not heard of is gone.
    if (isPrimary) this.fingers.clear()
    const isFirst = this.fingers.size === 0
    this.fingers.add(pointerId)
    this.begun = isFirst && isWanted ? { pointerId, isPrimary, clientX, clientY } : null
  }

  /** @returns where the finger was drawn to; `null`: nowhere, or another finger was lifted */
  up({ pointerId, clientX, clientY }: Touch): 1 | -1 | null {
    this.fingers.delete(pointerId)
    const { begun } = this
    if (begun?.pointerId !== pointerId) return null
    this.begun = null
    return swipeOf(clientX - begun.clientX, clientY - begun.clientY)
  }

  /** The browser has taken the movement, to scroll or to zoom. */
  cancel({ pointerId }: Touch): void {
    this.fingers.delete(pointerId)
    if (this.begun?.pointerId === pointerId) this.begun = null
  }
}

/** Tells a finger that is drawn to the side from one that scrolls or taps. Parts that scroll sideways keep their own movement. */
export function useSwipe(swiped: ((step: 1 | -1) => void) | undefined): Swipe | Record<string, never> {
  const stroke = useRef<Stroke | null>(null)
  if (!swiped) return {}
  const current = stroke.current ??= new Stroke()
  return {
    onPointerDown: (event) => {
      const inside = (event.target as Element | null)?.closest("input, textarea, select, .strip, .diff, pre")
      current.down(event, event.pointerType !== "mouse" && !inside)
    },
    onPointerUp: (event) => {
      const step = current.up(event)
      if (step) swiped(document.documentElement.dir === "rtl" ? (-step as 1 | -1) : step)
    },
    onPointerCancel: (event) => current.cancel(event),
  }
}

/** To the left is on to the next, as on paper. */
export function swipeOf(x: number, y: number): 1 | -1 | null {
  if (Math.abs(x) < least || Math.abs(y) > mostAside) return null
  return x < 0 ? 1 : -1
}
