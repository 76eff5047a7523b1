import { useCallback, useEffect, useRef, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { useRecovery } from "../../live/recovery"
import { useFollowing } from "../useFollowing"
import type { Project } from "../useProject"
import type { Place } from "./place"
import { readFile, type FilePart } from "./requests"

export interface ReadFile {
  /** What the file is; the content is in `text`. */
  facts: FilePart | null
  text: string
  /** Where the next part begins; `null`: all has been read. */
  next: number | null
  /** Another part comes from another state of the file. */
  hasChanged: boolean
  isReading: boolean
  error: ApiError | null
}

const nothing: ReadFile = { facts: null, text: "", next: null, hasChanged: false, isReading: true, error: null }
/** Beyond so many parts, a line that is wanted is not looked for. */
const mostParts = 24

/**
 * A file, part by part.
 * @param line the file is read up to this one
 */
export function useFile(project: Project, place: Place, line: number): { file: ReadFile; more: () => void; again: () => void } {
  const [file, setFile] = useState<ReadFile>(nothing)
  const [turn, setTurn] = useState(0)
  const run = useRef(0)
  const read = useCallback(async (before: ReadFile, parts: number) => {
    const own = ++run.current
    let now: ReadFile = { ...before, isReading: true, error: null }
    setFile(now)
    for (let count = 0; count < parts; count++) {
      try {
        now = joined(now, await readFile(project, place, now.next ?? 0))
      } catch (fault) {
        now = { ...now, error: asApiError(fault) }
      }
      if (run.current !== own) return
      if (now.error || now.next === null || now.hasChanged || linesOf(now.text) >= line) break
      setFile(now)
    }
    setFile({ ...now, isReading: false })
  }, [project, place.path, place.bytes, line])
  useEffect(() => {
    void read(nothing, line > 0 ? mostParts : 1)
    return () => {
      run.current++
    }
  }, [project, place.path, place.bytes, turn])
  // A line further down is asked for while the file is open.
  useEffect(() => {
    if (file.facts && file.next !== null && !file.isReading && !file.error && !file.hasChanged && linesOf(file.text) < line) void read(file, mostParts)
  }, [line])
  const isLate = useRef(false)
  // What is shown stays until the new state has been read as far.
  const refresh = async () => {
    const { facts, text, isReading } = file
    // A change that comes while the file is read is looked at afterwards.
    isLate.current = isReading
    if (!facts || isReading) return
    const own = ++run.current
    try {
      const first = await readFile(project, place)
      if (run.current !== own || first.version === facts.version) return
      let now = joined(nothing, first)
      while (now.next !== null && now.text.length < text.length && !now.hasChanged) now = joined(now, await readFile(project, place, now.next))
      if (run.current === own) setFile({ ...now, isReading: false })
    } catch (fault) {
      if (run.current === own) setFile({ ...file, error: asApiError(fault) })
    }
  }
  useFollowing(project.id, { file: (change) => change.path === place.path || change.old_path === place.path }, () => void refresh())
  useEffect(() => {
    if (!file.isReading && isLate.current) void refresh()
  }, [file.isReading])
  const again = useCallback(() => setTurn((count) => count + 1), [])
  useRecovery(file.facts ? null : file.error, again)
  return { file, more: () => void read(file, 1), again }
}

function joined(before: ReadFile, part: FilePart): ReadFile {
  const hasChanged = before.facts !== null && before.facts.version !== part.version
  const isText = part.encoding === "utf-8"
  // What follows in a text may be no text: then the rest is not shown.
  const text = hasChanged || !isText ? before.text : before.text + (part.content ?? "")
  return {
    ...before, facts: before.facts ?? part, text, next: hasChanged ? before.next : isText || before.facts === null ? part.next_offset : null,
    hasChanged: before.hasChanged || hasChanged,
  }
}

function linesOf(text: string): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}
