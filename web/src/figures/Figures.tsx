import { useState } from "react"
import { dayOf, readStatistics, readUsage, type Dimension, type UsageRow, type UsageTable } from "../api/usage"
import { useLoaded, type Loaded } from "../lib/load"
import { compact, dayName, money, number } from "../lib/time"
import { Fault } from "../parts/Notice"
import { named, t } from "../words/words"
import { Approvals } from "./Approvals"
import { Bars } from "./Bars"
import { readBudgets } from "./spending"
import { Budgets } from "./Budgets"
import { Calendar } from "./Calendar"
import { ChartCard } from "./ChartCard"

const spans = [7, 30, 90]
const dayMilliseconds = 86_400_000

/** Tokens and cost, by everything that they can be told apart by. */
export function Figures() {
  const [days, setDays] = useState(30)
  const today = dayOf(Date.now())
  const from = dayOf(Date.now() - (days - 1) * dayMilliseconds)
  const use = (by: Dimension) => useLoaded(() => readUsage(by, from, today), [by, from, today])
  const byDay = use("day")
  const calendar = useLoaded(() => readStatistics("day", dayOf(Date.now() - 90 * dayMilliseconds), today), [today])
  const hours = use("hour")
  const budgets = useLoaded(readBudgets, [])
  const limits = budgets.value && (budgets.value.find((one) => one.scope === "day")?.thresholds_usd ?? [])
  const total = byDay.value?.total
  return (
    <main className="page figures">
      <header className="bar">
        <h1>{t("figures")}</h1>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t("figures.span")}>
          {spans.map((span) => (
            <button key={span} type="button" className="quiet" aria-pressed={span === days} onClick={() => setDays(span)}>
              {t("figures.days", { n: span })}
            </button>
          ))}
        </div>
      </header>
      <Fault error={byDay.error} />
      {total && <Totals total={total} />}
      <div className="grid main">
        {byDay.value && <Daily table={byDay.value} from={from} days={days} limits={limits} />}
        {budgets.value && <Budgets budgets={budgets.value} />}
      </div>
      <div className="grid narrow">
        {(["model", "project", "machine", "tool"] as const).map((by) => <Ranking key={by} by={by} loaded={use(by)} />)}
      </div>
      <div className="grid">
        {hours.value && hours.value.rows.length > 0 && <Hourly rows={hours.value.rows} />}
        {calendar.value && (
          <ChartCard title={t("figures.calendar")} columns={[t("by.day"), t("events")]} formats={[String, number]}
            rows={calendar.value.rows.map((row) => [row.key, row.events || row.tokens])}>
            <Calendar rows={calendar.value.rows} today={today} />
          </ChartCard>
        )}
        <Approvals />
      </div>
      {byDay.value && !byDay.value.isByRequest && <p className="small soft note">{t("figures.bySession")}</p>}
    </main>
  )
}

function Totals({ total }: { total: UsageRow }) {
  const { usage } = total
  const read = usage.cache_read_tokens ?? 0
  const all = read + (usage.input_tokens ?? 0) + (usage.cache_creation_tokens ?? 0)
  const share = all > 0 ? number((100 * read) / all) + " %" : "–"
  const tiles: [string, string][] = [
    [t("cost"), money(total.cost)], [t("tokens.in.short"), compact(usage.input_tokens ?? 0)],
    [t("tokens.out"), compact(usage.output_tokens ?? 0)], [t("tokens.cached"), compact(read)], [t("cache.share"), share],
  ]
  return <dl className="tiles">{tiles.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
}

interface DailyProps {
  table: UsageTable
  from: string
  days: number
  /** At which a day's cost is pushed; `null`: not known. */
  limits: number[] | null
}

function Daily({ table, from, days, limits }: DailyProps) {
  const known = new Map(table.rows.map((row) => [row.key.slice(0, 10), row]))
  const all = Array.from({ length: days }, (_, index) => dayOf(Date.parse(from + "T00:00:00Z") + index * dayMilliseconds))
  const cost = all.map((day) => ({ name: dayName(day), value: known.get(day)?.cost ?? 0 }))
  const tokens = all.map((day) => ({ name: dayName(day), value: known.get(day)?.tokens ?? 0 }))
  const rows = all.map((day) => [day, known.get(day)?.cost ?? 0, known.get(day)?.tokens ?? 0])
  return (
    <ChartCard title={t("figures.daily")} columns={[t("by.day"), t("cost"), t("tokens")]} rows={rows}
      formats={[String, money, number]}>
      <p className="small soft">{t("cost")}</p>
      <Bars label={t("figures.daily") + ", " + t("cost")} values={cost} format={money} height={112} hasAxis
        limits={limits ?? []} />
      <p className="small soft">{t("tokens")}</p>
      <Bars label={t("figures.daily") + ", " + t("tokens")} values={tokens} format={compact} height={56} hasAxis />
      {limits && limits.length > 0 && (
        <p className="small soft">{t("budget.lines", { amounts: limits.map(money).join(", ") })}</p>
      )}
    </ChartCard>
  )
}

/** All days together: at which hour of the person's day work happens. */
function Hourly({ rows }: { rows: UsageRow[] }) {
  const sums = Array.from({ length: 24 }, (_, hour) => ({ name: `${hour}:00`, value: 0 }))
  for (const row of rows) {
    const hour = new Date(row.key).getHours()
    const sum = sums[hour]
    if (sum) sum.value += row.tokens || row.events
  }
  return (
    <ChartCard title={t("figures.hours")} columns={[t("by.hour"), t("tokens")]} formats={[String, number]}
      rows={sums.map((one) => [one.name, one.value])}>
      <Bars label={t("figures.hours")} values={sums} format={compact} hasAxis />
    </ChartCard>
  )
}

const shownRows = 8

function Ranking({ by, loaded }: { by: "model" | "project" | "machine" | "tool"; loaded: Loaded<UsageTable> }) {
  const table = loaded.value
  if (!table) return null
  const isTool = by === "tool"
  const amount = (row: UsageRow) => isTool ? row.toolCalls : row.cost || row.tokens
  const rows = table.rows.filter((row) => amount(row) > 0).sort((one, other) => amount(other) - amount(one))
  if (rows.length === 0) return null
  const most = amount(rows[0]!)
  const byCost = !isTool && rows.some((row) => row.cost > 0)
  const columns = isTool ? [named("by", by), t("toolCalls"), t("failures")] : [named("by", by), t("cost"), t("tokens")]
  return (
    <ChartCard title={named("figures", by)} columns={columns}
      rows={rows.map((row) => isTool ? [row.name, amount(row), row.toolFailures] : [row.name, row.cost, row.tokens])}
      formats={isTool ? [String, number, number] : [String, money, number]}>
      <ul className="ranking">
        {rows.slice(0, shownRows).map((row) => (
          <li key={row.key + row.name}>
            <span className="clip"><bdi>{row.name || "–"}</bdi></span>
            <span className="num">{byCost ? money(row.cost) : compact(amount(row))}</span>
            <i style={{ width: `${(100 * amount(row)) / most}%` }} />
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}
