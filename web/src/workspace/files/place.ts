import type { Query } from "../../api/http"

/** A file or a directory below a project's directory. The project's own has an empty path. */
export interface Place {
  path: string
  /** The absolute path as Base64, where its bytes are not UTF-8. */
  bytes?: string
}

/** The part of a list's entry that names it. */
interface Named {
  name: string
  name_b64?: string
}

export const top: Place = { path: "" }

/** What tells places apart. */
export function keyOf(place: Place): string {
  return place.bytes ?? place.path
}

export function absolute(root: string, place: Place): string {
  return place.path === "" ? root : root.replace(/\/+$/, "") + "/" + place.path
}

/** The parameters by which the server knows the place. */
export function placeQuery(root: string, place: Place): Query {
  return place.bytes === undefined ? { path: absolute(root, place) } : { path_b64: place.bytes }
}

export function child(root: string, parent: Place, entry: Named): Place {
  const path = parent.path === "" ? entry.name : parent.path + "/" + entry.name
  if (parent.bytes === undefined && entry.name_b64 === undefined) return { path }
  const before = parent.bytes === undefined ? encoded(absolute(root, parent)) : atob(parent.bytes)
  const name = entry.name_b64 === undefined ? encoded(entry.name) : atob(entry.name_b64)
  return { path, bytes: btoa(before.replace(/\/+$/, "") + "/" + name) }
}

/** The directories from the project's own down to the one that contains the place. */
export function parentsOf(root: string, place: Place): Place[] {
  const names = place.path.split("/")
  const parts = place.bytes === undefined ? null : atob(place.bytes).split("/")
  return [top, ...names.slice(0, -1).map((_, index): Place => {
    const path = names.slice(0, index + 1).join("/")
    if (!parts) return { path }
    const raw = parts.slice(0, parts.length - names.length + index + 1).join("/")
    return raw === encoded(absolute(root, { path })) ? { path } : { path, bytes: btoa(raw) }
  })]
}

/** A result of a search, whose path is below the project's directory. */
export function found(root: string, hit: { path: string; path_b64?: string }): Place {
  if (hit.path_b64 === undefined) return { path: hit.path }
  return { path: hit.path, bytes: btoa(encoded(root.replace(/\/+$/, "")) + "/" + atob(hit.path_b64)) }
}

/** The bytes of a text in UTF-8, a character each. */
function encoded(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("")
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
