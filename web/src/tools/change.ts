import { diffLines, type DiffLine } from "../lib/diff"
import type { Definition } from "./requests"

export const parts = ["title", "description", "parameters", "output_schema", "annotations"] as const
export type Part = typeof parts[number]

/** Characters of a title and a description that the server sends; the pin is of all of them. */
const mostShown = { title: 200, description: 10_000 }

export interface DefinitionChange {
  /** The parts that differ, line by line. */
  parts: { part: Part; lines: DiffLine[] }[]
  /** The new definition has more than is shown. */
  isCut: boolean
}

/** What differs between the pinned definition and the one that the server gives now. */
export function changeOf(pinned: Definition, offered: Definition): DefinitionChange {
  return {
    parts: parts.flatMap((part) => {
      const [old, fresh] = [textOf(pinned, part), textOf(offered, part)]
      return old === fresh ? [] : [{ part, lines: diffLines(old, fresh) }]
    }),
    isCut: isCut(offered.title, mostShown.title) || isCut(offered.description, mostShown.description),
  }
}

export function textOf(definition: Definition, part: Part): string {
  const value = definition[part]
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, null, 2)
}

/** The server counts characters as Unicode does. */
function isCut(text: string | undefined, most: number): boolean {
  return text !== undefined && text.length >= most && [...text].length >= most
}

/** A definition without what the server adds, as JSON. */
export function rawOf(definition: Definition): string {
  return JSON.stringify(Object.fromEntries(parts.flatMap((part) => definition[part] === undefined ? [] : [[part, definition[part]]])), null, 2)
}
