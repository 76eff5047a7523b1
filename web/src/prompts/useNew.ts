import { useLayoutEffect, useState } from "react"

/** As long as a person may still act on what was there before. */
const surpriseMilliseconds = 600

/**
 * Whether the form has just appeared. It takes no answer then: a tap or a key that was meant for what was there before must
 * not answer what took its place.
 */
export function useNew(isAsking: boolean): boolean {
  const [isNew, setNew] = useState(true)
  useLayoutEffect(() => {
    if (!isAsking) return
    setNew(true)
    const timer = window.setTimeout(() => setNew(false), surpriseMilliseconds)
    return () => clearTimeout(timer)
  }, [isAsking])
  return isNew
}
