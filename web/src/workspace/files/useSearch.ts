import { useEffect, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import type { Project } from "../useProject"
import { searchFiles, type Hits } from "./requests"

const pauseMilliseconds = 150

interface Found {
  /** What the hits are for. */
  query: string
  isContents: boolean
  hits: Hits | null
  error: ApiError | null
}

export interface Search {
  found: Found | null
  isSearching: boolean
  again: () => void
}

/** The files that fit a text: by name as it is typed, by content for what was asked. Only the newest answer counts. */
export function useSearch(project: Project, query: string, isContents: boolean): Search {
  const [found, setFound] = useState<Found | null>(null)
  const [isSearching, setSearching] = useState(false)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const text = query.trim()
    if (!text) {
      setFound(null)
      setSearching(false)
      return
    }
    const stop = new AbortController()
    setSearching(true)
    const timer = window.setTimeout(() => {
      searchFiles(project, text, isContents, stop.signal).then(
        (hits): Found => ({ query: text, isContents, hits, error: null }),
        (fault: unknown): Found => ({ query: text, isContents, hits: null, error: asApiError(fault) }),
      ).then((next) => {
        if (stop.signal.aborted) return
        setFound(next)
        setSearching(false)
      })
    }, isContents ? 0 : pauseMilliseconds)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [project, query, isContents, turn])
  return { found, isSearching, again: () => setTurn((count) => count + 1) }
}
