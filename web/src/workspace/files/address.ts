import type { Place } from "./place"

/** What the view of files shows, as it stands in the address. */
export interface FilesAddress {
  /** The file that is open. */
  place: Place | null
  /** The line to be shown. */
  line: number
  session: string
  /** What is searched for, and whether in the contents. */
  query: string
  isContents: boolean
}

export function filesAddress(text: string): FilesAddress {
  const given = new URLSearchParams(text)
  const path = given.get("path")
  return {
    place: path ? { path, ...(given.get("b64") && { bytes: given.get("b64") ?? "" }) } : null,
    line: Math.max(0, Math.floor(Number(given.get("line")) || 0)), session: given.get("session") ?? "",
    query: given.get("q") ?? "", isContents: given.get("in") === "contents",
  }
}

/** The same as parameters of an address. */
export function filesQuery({ place, line, session, query, isContents }: Partial<FilesAddress>): Record<string, string | number | undefined> {
  return {
    path: place?.path, b64: place?.bytes, line: line || undefined, q: query, in: isContents ? "contents" : undefined, session,
  }
}
