import { useState } from "react"

interface Props {
  label: string
  values: { name: string; value: number }[]
  format: (value: number) => string
  height?: number
  /** Lines across, such as budgets. */
  limits?: number[]
  /** Names the first and the last bar, and the height of the chart. */
  hasAxis?: boolean
  /** Names every bar below it; for a few bars. */
  hasNames?: boolean
  /** The last bar is what is now. */
  endsNow?: boolean
}

/** A bar chart of plain SVG. The numbers are in a table beside it, or in the bars' titles. */
export function Bars({ label, values, format, height = 72, limits = [], hasAxis = false, hasNames = false, endsNow = true }: Props) {
  const highest = Math.max(...values.map((one) => one.value), 0)
  // Those that were passed, and the next one: a budget far away would make all bars flat.
  const lines = limits.filter((limit, index) => limit <= highest || limits.findIndex((one) => one > highest) === index)
  const most = Math.max(highest, ...lines, Number.MIN_VALUE)
  const width = 100 / Math.max(values.length, 1)
  const gap = values.length > 60 ? 0 : width * 0.14
  const above = (value: number) => height - (value / most) * (height - 2)
  const [at, setAt] = useState<number | null>(null)
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    const index = Math.floor(((event.clientX - box.left) / Math.max(1, box.width)) * values.length)
    setAt(index >= 0 && index < values.length ? index : null)
  }
  const pointed = at === null ? undefined : values[at]
  const chart = (
    <svg className="bars" role="img" aria-label={label} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none"
      style={{ height }} onPointerDown={point} onPointerMove={point}
      onPointerLeave={(event: PointerEvent) => event.pointerType === "mouse" && setAt(null)}>
      {hasAxis && [0, 0.5].map((share) => (
        <line key={share} x1="0" x2="100" y1={above(most * (1 - share))} y2={above(most * (1 - share))} className="line" vectorEffect="non-scaling-stroke" />
      ))}
      {values.map((one, index) => {
        const size = one.value > 0 ? Math.max(1.5, (one.value / most) * (height - 2)) : 0.75
        return (
          <rect key={one.name} x={index * width} y={height - size} width={width - gap} height={size} rx="0.4"
            className={index === at ? "pointed" : endsNow && index === values.length - 1 ? "last" : one.value > 0 ? "" : "none"}>
            <title>{`${one.name}: ${format(one.value)}`}</title>
          </rect>
        )
      })}
      {lines.map((limit) => (
        <line key={limit} x1="0" x2="100" y1={above(limit)} y2={above(limit)} className="limit" vectorEffect="non-scaling-stroke" />
      ))}
    </svg>
  )
  if (hasNames) {
    return (
      <div className="named">
        {chart}
        {values.map((one) => <span key={one.name} className="faint num" aria-hidden="true">{one.name}</span>)}
      </div>
    )
  }
  if (!hasAxis) return chart
  return (
    <div className="axes">
      {pointed && <output className="small num pointer">{pointed.name}: <b>{format(pointed.value)}</b></output>}
      <span className="faint num top" aria-hidden="true">{format(most)}</span>
      <span className="faint num half" aria-hidden="true" style={{ top: above(most / 2) }}>{format(most / 2)}</span>
      {lines.filter((limit) => limit < most * 0.9).map((limit) => (
        <span key={limit} className="minus num budget" aria-hidden="true" style={{ top: above(limit) }}>{format(limit)}</span>
      ))}
      {chart}
      <span className="faint num" aria-hidden="true">{values[0]?.name}</span>
      <span className="faint num to" aria-hidden="true">{values[values.length - 1]?.name}</span>
    </div>
  )
}
