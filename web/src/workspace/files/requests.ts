import { call, get, part, search as queryText } from "../../api/http"
import type { Project } from "../useProject"
import { placeQuery, top, type Place } from "./place"

export interface Entry {
  name: string
  name_b64?: string
  type: "file" | "directory" | "link" | "special"
  /** What a link leads to. */
  target_type?: "file" | "directory" | "link" | "special"
  size: number
  is_secret: boolean
  is_ignored?: boolean
}

export interface Listing {
  entries: Entry[]
  sorted: boolean
  files: number | null
  directories: number | null
  next_cursor: string | null
}

export interface FilePart {
  type: Entry["type"]
  size: number
  modified_at?: string
  version: string
  is_secret: boolean
  encoding: "utf-8" | "base64" | null
  content: string | null
  next_offset: number | null
}

export interface Hit {
  path: string
  path_b64?: string
  is_secret?: boolean
  line?: number
  text?: string
}

export interface Hits {
  results: Hit[]
  total: number
  complete: boolean
  reason: string | null
}

export const entriesPerPage = 200
/** A part of a file that a slow line brings in a second or two. */
export const bytesPerPart = 128 * 1024
export const mostRaw = 10 * 1024 * 1024

const base = (project: Project) => `/v1/machines/${part(project.machine)}`

export function readDirectory(project: Project, place: Place, cursor: string | null, limit = entriesPerPage): Promise<Listing> {
  return get<Listing>(base(project) + "/files", { ...placeQuery(project.path, place), limit, cursor })
}

export function readFile(project: Project, place: Place, offset = 0, limit = bytesPerPart): Promise<FilePart> {
  return get<FilePart>(base(project) + "/file", { ...placeQuery(project.path, place), offset, limit })
}

/** The bytes of a whole file. */
export async function readBytes(project: Project, place: Place): Promise<Blob> {
  const answer = await call("GET", base(project) + "/file" + queryText({ ...placeQuery(project.path, place), raw: 1 }))
  return answer.blob()
}

export function searchFiles(project: Project, query: string, isContents: boolean, signal: AbortSignal): Promise<Hits> {
  const way = isContents ? { mode: "content", ignore_case: query === query.toLowerCase() ? "true" : undefined, limit: 300 } : { limit: 100 }
  return get<Hits>(base(project) + "/files/search", { ...placeQuery(project.path, top), query, ...way }, signal)
}
