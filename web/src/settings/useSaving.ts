import { useState } from "react"
import { asApiError, type ApiError } from "../api/errors"

interface Saving<T> {
  /** What the server has, or is getting. */
  saved: T
  state: "idle" | "saving" | "saved"
  error: ApiError | null
  save: (value: T) => void
  /** The person goes on: what is said of the last saving is old. */
  begin: () => void
}

/** Saves something, and knows whether it was saved. */
export function useSaving<T>(first: T, send: (value: T) => Promise<unknown>): Saving<T> {
  const [saved, setSaved] = useState(first)
  const [state, setState] = useState<Saving<T>["state"]>("idle")
  const [error, setError] = useState<ApiError | null>(null)
  const begin = () => {
    setState("idle")
    setError(null)
  }
  const save = (value: T) => {
    const before = saved
    setState("saving")
    setError(null)
    setSaved(value)
    send(value).then(() => setState("saved"), (fault: unknown) => {
      setSaved(before)
      setState("idle")
      setError(asApiError(fault))
    })
  }
  return { saved, state, error, save, begin }
}
