import { useRef, useState } from "react"
import { percent } from "../lib/time"
import { t } from "../words/words"
import type { Span } from "./state"

interface Props {
  span: Span
  /** The `seq` at the top of the view. */
  at: number
  /** The time there, in words. */
  time: string
  onGo: (seq: number) => void
}

/** While the thumb moves, what is around it is read this often. */
const pauseMilliseconds = 120
const steps: Record<string, number> = { ArrowUp: -0.01, ArrowLeft: -0.01, ArrowDown: 0.01, ArrowRight: 0.01, PageUp: -0.1, PageDown: 0.1 }

/** The place in the whole session, however long it is: the events in view are a part of it. */
export function Scrubber({ span, at, time, onGo }: Props) {
  const [dragged, setDragged] = useState<number | null>(null)
  const timer = useRef(0)
  /** The finger that drags. */
  const pointer = useRef<number | null>(null)
  const length = Math.max(1, span.last - span.first)
  const share = dragged ?? clamp((at - span.first) / length)
  const go = (to: number) => onGo(Math.round(span.first + clamp(to) * length))
  const shareAt = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return clamp((event.clientY - box.top) / box.height)
  }
  const drag = (event: PointerEvent) => {
    const to = shareAt(event)
    setDragged(to)
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => go(to), pauseMilliseconds)
  }
  const letGo = () => {
    clearTimeout(timer.current)
    pointer.current = null
    setDragged(null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key]
    const to = event.key === "Home" ? 0 : event.key === "End" ? 1 : step === undefined ? null : share + step
    if (to === null) return
    event.preventDefault()
    go(to)
  }
  return (
    <div className="scrubber" role="slider" tabIndex={0} aria-orientation="vertical" aria-label={t("scrubber")}
      aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * share)} aria-valuetext={dragged === null ? `${percent(share)}, ${time}` : percent(share)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.preventDefault()
        // A second finger ends the drag, and begins none.
        if (pointer.current !== null && pointer.current !== event.pointerId) return letGo()
        pointer.current = event.pointerId
        ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
        drag(event)
      }}
      onPointerMove={(event) => {
        if (event.pointerId === pointer.current) drag(event)
      }}
      onPointerUp={(event) => {
        if (event.pointerId !== pointer.current) return
        letGo()
        go(shareAt(event))
      }}
      onPointerCancel={(event: PointerEvent) => event.pointerId === pointer.current && letGo()}>
      <i className="thumb" style={{ insetBlockStart: `${100 * share}%` }} aria-hidden="true" />
      {dragged !== null && <span className="place small num" style={{ insetBlockStart: `${100 * share}%` }} aria-hidden="true">{percent(share)}</span>}
    </div>
  )
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}
