import { useEffect, useRef, useState } from "react"

const calmMilliseconds = 1_500

/**
 * Holds a list's order while a person works in it: nothing moves under the finger. Returns the order to show, how many
 * changes wait, and what applies them.
 * @param wanted the order by the newest state
 */
export function useSteady<T>(wanted: T[], keyOf: (item: T) => string): {
  shown: T[]
  waiting: number
  apply: () => void
  area: { onPointerDown: () => void; onPointerMove: () => void; onKeyDown: () => void; onFocus: () => void; onBlur: () => void }
} {
  const [order, setOrder] = useState<string[]>(() => wanted.map(keyOf))
  const busyUntil = useRef(0)
  const isInside = useRef(false)
  const [, setTurn] = useState(0)
  const next = wanted.map(keyOf)
  const isSame = next.length === order.length && next.every((key, index) => key === order[index])
  const isBusy = () => isInside.current || performance.now() < busyUntil.current

  useEffect(() => {
    if (isSame) return
    if (!isBusy()) return setOrder(next)
    const timer = window.setInterval(() => {
      if (!isBusy()) setTurn((turn) => turn + 1)
    }, 250)
    return () => clearInterval(timer)
  })

  const byKey = new Map(wanted.map((item) => [keyOf(item), item]))
  const held = order.flatMap((key) => byKey.get(key) ?? [])
  const isHeld = !isSame && isBusy()
  const touch = () => {
    busyUntil.current = performance.now() + calmMilliseconds
  }
  const typing = () => {
    isInside.current = !!document.activeElement?.matches("input[type=text],textarea,select")
  }
  return {
    shown: isHeld ? held : wanted,
    waiting: isHeld ? next.filter((key, index) => order[index] !== key).length : 0,
    apply: () => {
      busyUntil.current = 0
      setOrder(next)
    },
    area: {
      onPointerDown: touch,
      onPointerMove: touch,
      onKeyDown: touch,
      onFocus: typing,
      onBlur: () => {
        isInside.current = false
      },
    },
  }
}
