import { useCallback, useEffect, useState } from "react"
import { ApiError, asApiError } from "../api/errors"
import { useRecovery } from "../live/recovery"

export interface Loaded<T> {
  value: T | null
  error: ApiError | null
  again: () => void
}

/** Reads something when the view opens and whenever `dependencies` change, and once more after a failure that passes. */
export function useLoaded<T>(read: () => Promise<T>, dependencies: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isCurrent = true
    read().then(
      (found) => {
        if (!isCurrent) return
        setValue(found)
        setError(null)
      },
      (fault: unknown) => {
        if (isCurrent) setError(asApiError(fault))
      },
    )
    return () => {
      isCurrent = false
    }
  }, [...dependencies, turn])
  const again = useCallback(() => setTurn((count) => count + 1), [])
  useRecovery(error, again)
  return { value, error, again }
}
