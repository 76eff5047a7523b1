import type { GraphRow, Segment } from "./graphRows"

const step = 14
const height = 60
const mostColumns = 8

/** The dot of a commit and the lines beside it, as high as its row. */
export function Graph({ row, columns, isMerge }: { row: GraphRow; columns: number; isMerge: boolean }) {
  const width = Math.min(mostColumns, Math.max(1, columns)) * step + 4
  const x = (column: number) => column * step + step / 2 + 2
  const y = { top: 0, middle: height / 2, bottom: height }
  const path = ({ from, fromAt, to, toAt }: Segment) => {
    const [x1, y1, x2, y2] = [x(from), y[fromAt], x(to), y[toAt]]
    return x1 === x2 ? `M${x1} ${y1}V${y2}` : `M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`
  }
  return (
    <svg className="graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {row.segments.map((segment, index) => <path key={index} className={"lane" + (Math.max(segment.from, segment.to) % 5)} d={path(segment)} />)}
      <circle className={"lane" + (row.column % 5) + (isMerge ? " merge" : "")} cx={x(row.column)} cy={y.middle} r={isMerge ? 4 : 4.5} />
    </svg>
  )
}
