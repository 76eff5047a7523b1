import { useEffect, useRef } from "react"

const leastMilliseconds = 5_000

/** Looks again when the person comes back to the page: the machine has gone on meanwhile. */
export function useRevisit(again: () => void): void {
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    let left = performance.now()
    const looked = () => {
      if (document.visibilityState === "hidden") left = performance.now()
      else if (performance.now() - left > leastMilliseconds) latest.current()
    }
    document.addEventListener("visibilitychange", looked)
    return () => document.removeEventListener("visibilitychange", looked)
  }, [])
}
