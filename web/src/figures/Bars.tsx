interface Props {
  label: string
  values: { name: string; value: number }[]
  format: (value: number) => string
  height?: number
  /** A line across, such as a budget. */
  limit?: number
}

/** A bar chart of plain SVG. The numbers are in a table beside it, or in the bars' titles. */
export function Bars({ label, values, format, height = 72, limit }: Props) {
  const most = Math.max(limit ?? 0, ...values.map((one) => one.value), Number.MIN_VALUE)
  const width = 100 / Math.max(values.length, 1)
  const gap = values.length > 60 ? 0 : width * 0.14
  return (
    <svg className="bars" role="img" aria-label={label} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none"
      style={{ height }}>
      {values.map((one, index) => {
        const size = one.value > 0 ? Math.max(1.5, (one.value / most) * (height - 2)) : 0.75
        return (
          <rect key={one.name} x={index * width} y={height - size} width={width - gap} height={size} rx="0.4"
            className={index === values.length - 1 ? "last" : one.value > 0 ? "" : "none"}>
            <title>{`${one.name}: ${format(one.value)}`}</title>
          </rect>
        )
      })}
      {limit !== undefined && <line x1="0" x2="100" y1={height - (limit / most) * (height - 2)} y2={height - (limit / most) * (height - 2)} className="limit" />}
    </svg>
  )
}
