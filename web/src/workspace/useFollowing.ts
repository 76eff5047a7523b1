import { useEffect, useRef } from "react"
import type { FileChange } from "../live/socket"
import { followWorkspace } from "../live/workspace"

/** Changes that come together are read together. */
const pauseMilliseconds = 300
/** A machine that works all the time is not asked all the time. */
const leastMilliseconds = 2_000

interface Interest {
  /** Whether the change of this file matters. */
  file?: (change: FileChange) => boolean
  /** The state of the repository matters, too. */
  git?: boolean
}

/** Looks again when the workspace has changed, as long as a person looks at the page, and when they come back to it. */
export function useFollowing(workspace: string | undefined, interest: Interest, again: () => void): void {
  const latest = useRef({ interest, again })
  latest.current = { interest, again }
  useEffect(() => {
    if (!workspace) return
    let timer = 0
    let last = -leastMilliseconds
    const soon = () => {
      if (timer) return
      timer = window.setTimeout(() => {
        timer = 0
        last = performance.now()
        latest.current.again()
      }, Math.max(pauseMilliseconds, last + leastMilliseconds - performance.now()))
    }
    const listener = {
      reload: soon,
      file: (change: FileChange) => {
        if (latest.current.interest.file?.(change)) soon()
      },
      git: () => {
        if (latest.current.interest.git) soon()
      },
    }
    let stop: (() => void) | null = null
    const looked = () => {
      if (document.visibilityState === "hidden") {
        stop?.()
        stop = null
      } else {
        stop ??= followWorkspace(workspace, listener)
      }
    }
    looked()
    document.addEventListener("visibilitychange", looked)
    return () => {
      document.removeEventListener("visibilitychange", looked)
      clearTimeout(timer)
      stop?.()
    }
  }, [workspace])
}
