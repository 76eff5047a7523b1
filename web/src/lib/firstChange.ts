import type { DiffLine } from "./diff"

/** The line of the file at which a change begins, as the file was after it; absent where the lines have no numbers. */
export function firstChange(lines: readonly DiffLine[]): number | undefined {
  const at = lines.findIndex((line) => line.kind === "add" || line.kind === "del")
  return lines.slice(Math.max(0, at)).find((line) => line.fresh !== undefined)?.fresh
}
