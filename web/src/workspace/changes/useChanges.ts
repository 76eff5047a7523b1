import { useCallback, useEffect, useRef, useState } from "react"
import { ApiError, asApiError } from "../../api/errors"
import { useRecovery } from "../../live/recovery"
import { useFollowing } from "../useFollowing"
import { filesPerPage, readChange, readChanges, type SessionChanges, type SessionFile } from "./requests"

export interface FoundChanges {
  changes: SessionChanges | null
  error: ApiError | null
  isReading: boolean
  /** Counts up when the set is read anew. */
  turn: number
  more: () => void
  again: () => void
}

/** What a session has changed, a page at a time. Pages belong to one state: if another was taken, all is read anew. */
export function useChanges(session: string, project: string | undefined): FoundChanges {
  const [changes, setChanges] = useState<SessionChanges | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isReading, setReading] = useState(false)
  const [turn, setTurn] = useState(0)
  const run = useRef(0)
  const again = useCallback(() => setTurn((count) => count + 1), [])
  const read = async (before: SessionChanges | null) => {
    const current = ++run.current
    setReading(true)
    try {
      const found = await readChanges(session, before?.next_cursor ?? null)
      if (run.current !== current) return
      setChanges(before ? { ...found, files: [...before.files, ...found.files] } : found)
      // What was told last is shown, and asked for again until the agent is back.
      setError(found.is_last_known ? new ApiError(503, "agent_unavailable", "") : null)
    } catch (fault) {
      if (run.current !== current) return
      const failure = asApiError(fault)
      if (before && failure.code === "changed_meanwhile") return again()
      setError(failure)
    }
    setReading(false)
  }
  useEffect(() => {
    void read(null)
    return () => {
      run.current++
    }
  }, [session, turn])
  useRecovery(error, again)
  // The list is not read again once its second page is shown: the person would lose the place.
  useFollowing(project, { file: () => true, git: true }, () => {
    if (!changes || changes.files.length <= filesPerPage) again()
  })
  return { changes, error, isReading, turn, more: () => void read(changes), again }
}

interface FoundChange {
  file: SessionFile | null
  /** The file is in the set no more. */
  isGone: boolean
  error: ApiError | null
  isReading: boolean
  more: () => void
  again: () => void
}

/** The hunks of one file of the set. */
export function useChange(session: string, wanted: { path: string; path_b64?: string }, turn: number): FoundChange {
  const [file, setFile] = useState<SessionFile | null>(null)
  const [isGone, setGone] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  const [isReading, setReading] = useState(false)
  const [own, setOwn] = useState(0)
  const run = useRef(0)
  const read = async (before: SessionFile | null) => {
    const current = ++run.current
    setReading(true)
    setError(null)
    try {
      const found = (await readChange(session, wanted, before?.next_offset ?? undefined)).files[0]
      if (run.current !== current) return
      setGone(!found)
      setFile(found && before ? { ...found, hunks: [...before.hunks ?? [], ...found.hunks ?? []] } : found ?? null)
    } catch (fault) {
      if (run.current === current) setError(asApiError(fault))
    }
    if (run.current === current) setReading(false)
  }
  useEffect(() => {
    void read(null)
    return () => {
      run.current++
    }
  }, [session, wanted.path, wanted.path_b64, turn, own])
  const again = useCallback(() => setOwn((count) => count + 1), [])
  useRecovery(error, again)
  return { file, isGone, error, isReading, more: () => void read(file), again }
}
