import { useCallback, useEffect, useRef, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { useRecovery } from "../../live/recovery"
import { useFollowing } from "../useFollowing"
import type { Project } from "../useProject"
import { readGit, type Status } from "./requests"

export interface Repository {
  status: Status | null
  error: ApiError | null
  /** Counts up whenever the repository may have changed. */
  turn: number
  again: () => void
}

/** The state of a repository: read anew after each change of this page or of another tab, and whenever its machine tells of a change. */
export function useRepository(project: Project): Repository & { changed: () => void } {
  const [status, setStatus] = useState<Status | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [turn, setTurn] = useState(0)
  const channel = useRef<BroadcastChannel | null>(null)
  const again = useCallback(() => setTurn((count) => count + 1), [])
  useEffect(() => {
    let isCurrent = true
    readGit<Status>(project.id, "status").then((found) => {
      if (!isCurrent) return
      setStatus(found)
      setError(null)
    }, (fault: unknown) => isCurrent && setError(asApiError(fault)))
    return () => {
      isCurrent = false
    }
  }, [project.id, turn])
  useEffect(() => {
    const opened = new BroadcastChannel("monitor-git")
    channel.current = opened
    opened.onmessage = (message: MessageEvent<unknown>) => {
      if (message.data === project.id) again()
    }
    return () => opened.close()
  }, [project.id])
  const changed = useCallback(() => {
    again()
    channel.current?.postMessage(project.id)
  }, [project.id])
  useRecovery(error, again)
  useFollowing(project.id, { file: () => true, git: true }, again)
  return { status, error, turn, again, changed }
}
