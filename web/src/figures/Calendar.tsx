import type { UsageRow } from "../api/usage"
import { dayLetters, dayName, monthName, number } from "../lib/time"
import { t } from "../words/words"

const cell = 11
const weeks = 13
/** The room for the names of weekdays and months. */
const left = 18
const above = 11

/** The last three months, a square for each day; the more happened, the stronger its color. */
export function Calendar({ rows, today }: { rows: UsageRow[]; today: string }) {
  const counts = new Map(rows.map((row) => [row.key, row.events || row.tokens]))
  const most = Math.max(1, ...counts.values())
  const end = Date.parse(today + "T00:00:00Z")
  const weekday = (new Date(end).getUTCDay() + 6) % 7
  const days = Array.from({ length: (weeks - 1) * 7 + weekday + 1 }, (_, index) => {
    const time = end - ((weeks - 1) * 7 + weekday - index) * 86_400_000
    return new Date(time).toISOString().slice(0, 10)
  })
  // A month is named above the week in which it begins.
  const months = days.flatMap((day, index) => day.endsWith("-01") ? [{ day, x: left + Math.floor(index / 7) * cell }] : [])
  return (
    <svg className="calendar" role="img" aria-label={t("figures.calendar")} viewBox={`0 0 ${left + weeks * cell} ${above + 7 * cell}`}>
      <g aria-hidden="true">
        {months.map(({ day, x }) => <text key={day} x={x} y={above - 3}>{monthName(day)}</text>)}
        {[0, 2, 4].map((row) => <text key={row} x="0" y={above + row * cell + cell - 4}>{dayLetters(days[row] ?? today)}</text>)}
      </g>
      {days.map((day, index) => {
        const count = counts.get(day) ?? 0
        const level = count === 0 ? 0 : 1 + Math.min(3, Math.floor(4 * Math.sqrt(count / most) - 0.01))
        return (
          <rect key={day} x={left + Math.floor(index / 7) * cell} y={above + (index % 7) * cell} width={cell - 2} height={cell - 2}
            rx="2" className={"level" + level}>
            <title>{`${dayName(day)}: ${number(count)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** What the shades mean. */
export function Legend() {
  return (
    <p className="legend small soft">
      {t("legend.less")}
      <svg className="calendar" viewBox={`0 0 ${5 * cell} ${cell}`} width={5 * cell} height={cell} aria-hidden="true">
        {[0, 1, 2, 3, 4].map((level) => <rect key={level} x={level * cell} y="0" width={cell - 2} height={cell - 2} rx="2" className={"level" + level} />)}
      </svg>
      {t("legend.more")}
    </p>
  )
}
