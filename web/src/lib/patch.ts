import type { DiffLine } from "./diff"

/** A part of a patch: a heading, such as `@@ -1,3 +1,4 @@ func a()`, and its lines. */
export interface Hunk {
  heading: string
  /** Where the hunk begins in the file as it is now. */
  start: number
  lines: DiffLine[]
}

/** The hunks of a unified patch of one file, or of a combined one, as git shows a file in conflict. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = []
  let current: Hunk | null = null
  let [old, fresh, columns] = [0, 0, 1]
  const lines = patch.split("\n")
  if (lines[lines.length - 1] === "") lines.pop()
  for (const line of lines) {
    const heading = /^(@@+) -(\d+)(?:,\d+)? .*?\+(\d+)(?:,\d+)? @@+/.exec(line)
    if (heading) {
      [old, fresh, columns] = [Number(heading[2]), Number(heading[3]), heading[1]!.length - 1]
      current = { heading: line, start: fresh, lines: [] }
      hunks.push(current)
    } else if (current) {
      const found = lineOf(line, columns, old, fresh)
      current.lines.push(found)
      if (found.kind === "same" || found.kind === "del") old++
      if (found.kind === "same" || found.kind === "add") fresh++
    }
  }
  return hunks
}

function lineOf(line: string, columns: number, old: number, fresh: number): DiffLine {
  // "\ No newline at end of file"
  if (line.startsWith("\\")) return { kind: "head", text: line.slice(2) }
  const [signs, text] = [line.slice(0, columns), line.slice(columns)]
  // The numbers of the sides of a combined patch differ.
  if (signs.includes("-")) return { kind: "del", text, ...(columns === 1 && { old }) }
  if (signs.includes("+")) return { kind: "add", text, fresh }
  return { kind: "same", text, ...(columns === 1 && { old }), fresh }
}
