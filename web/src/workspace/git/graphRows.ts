import type { LogEntry } from "./requests"

/** A line of the graph in a row: columns at its top, its middle or its bottom. */
export interface Segment {
  from: number
  fromAt: "top" | "middle"
  to: number
  toAt: "middle" | "bottom"
}

export interface GraphRow {
  column: number
  segments: Segment[]
}

/** The lines in each row, by the lines from each commit to the next that the server tells. */
export function graphRows(commits: readonly Pick<LogEntry, "graph_position">[]): GraphRow[] {
  let arriving = new Set<number>()
  return commits.map(({ graph_position: position }) => {
    if (!position) return { column: 0, segments: [] }
    const { column, lines } = position
    const segments = lines.map(({ from_column: from, to_column: to }): Segment => {
      if (from === column) return { from, fromAt: "middle", to, toAt: "bottom" }
      return { from, fromAt: "top", to, toAt: to === column && from !== to ? "middle" : "bottom" }
    })
    if (arriving.has(column)) segments.push({ from: column, fromAt: "top", to: column, toAt: "middle" })
    arriving = new Set(segments.filter((segment) => segment.toAt === "bottom").map((segment) => segment.to))
    return { column, segments }
  })
}
