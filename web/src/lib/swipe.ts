import { useRef } from "react"

const least = 60
const mostAside = 40

interface Swipe {
  onPointerDown: (event: PointerEvent) => void
  onPointerUp: (event: PointerEvent) => void
}

/** Tells a finger that is drawn to the side from one that scrolls or taps. Parts that scroll sideways keep their own movement. */
export function useSwipe(swiped: ((step: 1 | -1) => void) | undefined): Swipe | Record<string, never> {
  const begun = useRef<{ x: number; y: number } | null>(null)
  if (!swiped) return {}
  return {
    onPointerDown: (event) => {
      const inside = (event.target as Element | null)?.closest("input, textarea, select, .strip, .diff, pre")
      begun.current = event.pointerType === "mouse" || inside ? null : { x: event.clientX, y: event.clientY }
    },
    onPointerUp: (event) => {
      const step = begun.current && swipeOf(event.clientX - begun.current.x, event.clientY - begun.current.y)
      begun.current = null
      if (step) swiped(document.documentElement.dir === "rtl" ? (-step as 1 | -1) : step)
    },
  }
}

/** To the left is on to the next, as on paper. */
export function swipeOf(x: number, y: number): 1 | -1 | null {
  if (Math.abs(x) < least || Math.abs(y) > mostAside) return null
  return x < 0 ? 1 : -1
}
