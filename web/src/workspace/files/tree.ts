import { asApiError, type ApiError } from "../../api/errors"
import { Store } from "../../lib/store"
import type { Project } from "../useProject"
import { child, keyOf, parentsOf, top, type Place } from "./place"
import { entriesPerPage, readDirectory, type Entry, type Listing } from "./requests"

interface Directory {
  /** `null`: not read yet. */
  entries: Entry[] | null
  cursor: string | null
  /** How many there are in all; `null`: not counted. */
  total: number | null
  isReading: boolean
  error: ApiError | null
}

export interface TreeState {
  directories: ReadonlyMap<string, Directory>
  open: ReadonlySet<string>
}

/** A line of the tree: an entry, or what stands in the place of entries. */
export type TreeRow =
  | { kind: "entry"; place: Place; entry: Entry; level: number; isDirectory: boolean; isOpen: boolean }
  | { kind: "more"; place: Place; level: number; left: number | null; isReading: boolean }
  | { kind: "reading"; place: Place; level: number }
  | { kind: "empty"; place: Place; level: number }
  | { kind: "fault"; place: Place; level: number; error: ApiError }

type Read = (project: Project, place: Place, cursor: string | null, limit?: number) => Promise<Listing>

/** The directories of a project that are open, as far as they have been read. */
export class Tree {
  readonly state = new Store<TreeState>({ directories: new Map(), open: new Set([""]) })

  constructor(readonly project: Project, private readonly read: Read = readDirectory) {}

  /** Opens what is open still, and reads what has not been read. */
  show(place: Place | null): void {
    this.open(top)
    if (place) for (const parent of parentsOf(this.project.path, place)) this.open(parent)
  }

  open(place: Place): void {
    const key = keyOf(place)
    this.state.update((state) => state.open.has(key) ? state : { ...state, open: new Set(state.open).add(key) })
    const known = this.state.get().directories.get(key)
    if (!known?.entries && !known?.isReading) void this.readPage(place)
  }

  close(place: Place): void {
    this.state.update((state) => ({ ...state, open: new Set([...state.open].filter((key) => key !== keyOf(place))) }))
  }

  /** The next page of a directory, or its first one. */
  async readPage(place: Place): Promise<void> {
    const key = keyOf(place)
    const known = this.state.get().directories.get(key)
    if (known?.isReading) return
    this.put(key, { entries: known?.entries ?? null, cursor: known?.cursor ?? null, total: known?.total ?? null, isReading: true, error: null })
    try {
      const page = await this.read(this.project, place, known?.entries ? known.cursor : null)
      this.put(key, directoryOf(page, known?.entries ?? []))
    } catch (fault) {
      this.put(key, { entries: known?.entries ?? null, cursor: known?.cursor ?? null, total: known?.total ?? null, isReading: false, error: asApiError(fault) })
    }
  }

  /** Reads all that is open once more. What was known stays until then. */
  async refresh(): Promise<void> {
    const rows = this.rows()
    const places = [top, ...rows.flatMap((row) => row.kind === "entry" && row.isOpen ? [row.place] : [])]
    await Promise.all(places.map(async (place) => {
      const known = this.state.get().directories.get(keyOf(place))
      if (!known?.entries || known.isReading) return known?.error ? this.readPage(place) : undefined
      try {
        const limit = Math.min(1000, Math.max(entriesPerPage, known.entries.length))
        this.put(keyOf(place), directoryOf(await this.read(this.project, place, null, limit), []))
      } catch (fault) {
        this.put(keyOf(place), { ...known, error: asApiError(fault) })
      }
    }))
  }

  rows(): TreeRow[] {
    const rows: TreeRow[] = []
    this.add(rows, top, 1)
    return rows
  }

  private add(rows: TreeRow[], place: Place, level: number): void {
    const { directories, open } = this.state.get()
    const directory = directories.get(keyOf(place))
    if (directory?.error) rows.push({ kind: "fault", place, level, error: directory.error })
    if (!directory?.entries) {
      if (!directory?.error) rows.push({ kind: "reading", place, level })
      return
    }
    if (directory.entries.length === 0) rows.push({ kind: "empty", place, level })
    for (const entry of directory.entries) {
      const inner = child(this.project.path, place, entry)
      const isDirectory = (entry.target_type ?? entry.type) === "directory"
      const isOpen = isDirectory && open.has(keyOf(inner))
      rows.push({ kind: "entry", place: inner, entry, level, isDirectory, isOpen })
      if (isOpen) this.add(rows, inner, level + 1)
    }
    if (directory.cursor !== null) {
      const left = directory.total === null ? null : directory.total - directory.entries.length
      rows.push({ kind: "more", place, level, left, isReading: directory.isReading })
    }
  }

  private put(key: string, directory: Directory): void {
    this.state.update((state) => ({ ...state, directories: new Map(state.directories).set(key, directory) }))
  }
}

function directoryOf(page: Listing, before: Entry[]): Directory {
  const total = page.files === null || page.directories === null ? null : page.files + page.directories
  return { entries: [...before, ...page.entries], cursor: page.next_cursor, total, isReading: false, error: null }
}

const kept = new Map<string, Tree>()
const mostKept = 8

/** The tree of a project, as it was left. */
export function treeOf(project: Project): Tree {
  const key = `${project.machine}\n${project.path}`
  const tree = kept.get(key) ?? new Tree(project)
  kept.delete(key)
  kept.set(key, tree)
  if (kept.size > mostKept) kept.delete(kept.keys().next().value as string)
  return tree
}
