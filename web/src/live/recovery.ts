import { useEffect, useRef } from "react"
import type { ApiError } from "../api/errors"
import { connection } from "./live"
import { Retry } from "./retry"

/** Does something once more after a failure that passes by itself: after a while, and as soon as the connection is back. */
export function useRecovery(error: ApiError | null, again: () => void): void {
  const retry = useRef<Retry | null>(null)
  const latest = useRef(again)
  latest.current = again
  useEffect(() => {
    retry.current ??= new Retry()
    if (error === null) retry.current.succeeded()
    if (!error?.isPassing) return
    const { current } = retry
    current.later(() => latest.current())
    const stop = connection.watch(() => {
      if (connection.get() === "open") latest.current()
    })
    return () => {
      current.stop()
      stop()
    }
  }, [error])
}
