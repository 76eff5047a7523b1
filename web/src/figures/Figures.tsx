import { readStatistics, readUsage, type Dimension, type UsageRow } from "../api/usage"
import { dayOf, latestDays } from "../lib/days"
import { useLoaded } from "../lib/load"
import { unpricedNote } from "../lib/spent"
import { compact, dayName, money, number, percent } from "../lib/time"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { named, t } from "../words/words"
import { Approvals } from "./Approvals"
import { Bars } from "./Bars"
import { readBudgets } from "./spending"
import { Budgets } from "./Budgets"
import { Calendar, Legend } from "./Calendar"
import { changeText } from "./change"
import { ChartCard } from "./ChartCard"
import { go, sessionLink } from "../lib/route"
import { placeOf, sessionName } from "../state/names"
import { useNamed } from "../views/found"
import { useKeptScroll } from "../views/keptScroll"
import { useTitle } from "../state/title"
import { noQuery, tableHash } from "../views/query"
import { Windows } from "./Windows"

const spans = [7, 30, 90]
const calendarDays = 91

/** Tokens and cost, by everything that they can be told apart by. */
export function Figures({ days: wanted }: { days: number | null }) {
  useTitle(t("figures"))
  const days = spans.find((span) => span === wanted) ?? 30
  const view = useKeptScroll<HTMLElement>()
  const all = latestDays(days)
  const from = all[0]!
  const today = dayOf(Date.now())
  const use = (by: Dimension) => useLoaded(() => readUsage(by, from), [by, from])
  const hours = use("hour")
  // The same number of days before, for comparison.
  const earlier = latestDays(2 * days)[0]!
  const before = useLoaded(() => readUsage("model", earlier, from), [earlier, from])
  const costly = use("session")
  const rankings = (["model", "project", "machine"] as const).map((by) => ({ by, loaded: use(by) }))
  const calendar = useLoaded(() => readStatistics("day", latestDays(calendarDays)[0]!, today), [today])
  const tools = useLoaded(() => readStatistics("tool", from, today), [from, today])
  const budgets = useLoaded(readBudgets, [])
  const limits = budgets.value && (budgets.value.find((one) => one.scope === "day")?.thresholds_usd ?? [])
  const failed = [hours, before, costly, calendar, tools, budgets, ...rankings.map((one) => one.loaded)].filter((one) => one.error)
  const total = hours.value?.total
  return (
    <main ref={view} className="page figures">
      <header className="bar">
        <h1>{t("figures")}</h1>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t("figures.span")}>
          {spans.map((span) => (
            <button key={span} type="button" className="quiet" aria-pressed={span === days} onClick={() => go(`#/figures?days=${span}`)}>
              {t("figures.days", { n: span })}
            </button>
          ))}
        </div>
      </header>
      <Fault what={t("unread.figures")} error={failed[0]?.error ?? null} again={() => failed.forEach((one) => one.again())} />
      {total && <Totals total={total} before={before.value?.total} days={days} />}
      <div className="charts">
        <div className="stack">
          {hours.value && <Daily rows={hours.value.rows} days={all} limits={limits} />}
          <Costly rows={costly.value?.rows ?? []} />
          {hours.value && hours.value.rows.length > 0 && <Hourly rows={hours.value.rows} />}
          {calendar.value && (
            <ChartCard title={t("figures.calendar")} columns={[t("by.day"), t("events")]} formats={[String, number]}
              rows={calendar.value.map((row) => [row.key, row.events || row.tokens])}>
              <Calendar rows={calendar.value} today={today} />
              <Legend />
            </ChartCard>
          )}
          <Approvals />
        </div>
        <div className="stack lists">
          <Windows />
          {budgets.value && <Budgets budgets={budgets.value} />}
          {rankings.map(({ by, loaded }) => <Ranking key={by} by={by} rows={loaded.value?.rows} />)}
          <Ranking by="tool" rows={tools.value ?? undefined} />
        </div>
      </div>
    </main>
  )
}

function Totals({ total, before, days }: { total: UsageRow; before: UsageRow | undefined; days: number }) {
  const { usage } = total
  const read = usage.cache_read_tokens ?? 0
  const all = read + (usage.input_tokens ?? 0) + (usage.cache_creation_tokens ?? 0)
  const share = all > 0 ? percent(read / all) : "–"
  const tiles: [string, string, string?][] = [
    [t("cost"), money(total.cost), changeText(total.cost, before?.cost, days)],
    [t("tokens.in.short"), compact(usage.input_tokens ?? 0), changeText(usage.input_tokens ?? 0, before?.usage.input_tokens, days)],
    [t("tokens.out"), compact(usage.output_tokens ?? 0), changeText(usage.output_tokens ?? 0, before?.usage.output_tokens, days)],
    [t("tokens.cached"), compact(read)], [t("cache.share"), share],
  ]
  return (
    <>
      <dl className="tiles">{tiles.map(([name, value, change]) => (
        <div key={name}><dt>{name}</dt><dd>{value}{change && <span className="small soft under change">{change}</span>}</dd></div>
      ))}</dl>
      {total.unpriced.requests ? <p className="soft small">{unpricedNote(total.unpriced)}</p> : null}
    </>
  )
}

/** The sessions that cost most, each a link to what it did. */
function Costly({ rows: all }: { rows: UsageRow[] }) {
  const rows = all.filter((row) => row.cost > 0).sort((one, other) => other.cost - one.cost)
  const shown = rows.slice(0, shownRows)
  const known = useNamed(shown.map((row) => row.key))
  if (shown.length === 0) return null
  const nameOf = (row: UsageRow) => {
    const session = known.get(row.key)
    return session ? sessionName(session) : row.name || row.key
  }
  const placeOfRow = (row: UsageRow) => {
    const session = known.get(row.key)
    return session ? placeOf(session) : ""
  }
  return (
    <ChartCard title={t("figures.costly")} columns={[t("table.session"), t("cost"), t("tokens")]} formats={[String, money, number]}
      rows={rows.map((row) => [nameOf(row), row.cost, row.tokens])}>
      <ul className="ranking">
        {shown.map((row) => (
          <li key={row.key}>
            <span className="clip">
              <a href={sessionLink(row.key)}><Plain text={nameOf(row)} /></a>{" "}
              <span className="small soft"><Plain text={placeOfRow(row)} /></span>
            </span>
            <span className="num">{money(row.cost)}</span>
            <i style={{ width: `${(100 * row.cost) / shown[0]!.cost}%` }} />
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}

interface DailyProps {
  /** By hour. */
  rows: UsageRow[]
  days: string[]
  /** At which a day's cost is pushed; `null`: not known. */
  limits: number[] | null
}

function Daily({ rows, days, limits }: DailyProps) {
  const sums = sumsOf(rows, dayOf, days)
  const cost = sums.map((one) => ({ name: dayName(one.name), value: one.cost }))
  const tokens = sums.map((one) => ({ name: dayName(one.name), value: one.tokens }))
  return (
    <ChartCard title={t("figures.daily")} columns={[t("by.day"), t("cost"), t("tokens")]}
      rows={sums.map((one) => [one.name, one.cost, one.tokens])}
      formats={[String, money, number]}>
      <p className="small soft">{t("cost")} ($)</p>
      <Bars label={t("figures.daily") + ", " + t("cost")} values={cost} format={money} height={172} hasAxis
        limits={limits ?? []} />
      <p className="small soft">{t("tokens")}</p>
      <Bars label={t("figures.daily") + ", " + t("tokens")} values={tokens} format={compact} height={84} hasAxis />
      {limits && limits.length > 0 && (
        <p className="small soft">{t("budget.lines", { amounts: limits.map(money).join(", ") })}</p>
      )}
    </ChartCard>
  )
}

interface Sums {
  name: string
  cost: number
  tokens: number
}

/** Adds up hours by a name, by the browser's clock. An hour that two days share counts to the one in which it begins. */
function sumsOf(hours: UsageRow[], nameOf: (time: string) => string, names: string[]): Sums[] {
  const sums = new Map(names.map((name) => [name, { name, cost: 0, tokens: 0 }]))
  for (const hour of hours) {
    const sum = sums.get(nameOf(hour.key))
    if (!sum) continue
    sum.cost += hour.cost
    sum.tokens += hour.tokens
  }
  return [...sums.values()]
}

/** All days together: at which hour of the person's day work happens. */
function Hourly({ rows }: { rows: UsageRow[] }) {
  const hourOf = (time: string) => `${new Date(time).getHours()}:00`
  const sums = sumsOf(rows, hourOf, Array.from({ length: 24 }, (_, hour) => `${hour}:00`))
  return (
    <ChartCard title={t("figures.hours")} columns={[t("by.hour"), t("tokens"), t("cost")]} formats={[String, number, money]}
      rows={sums.map((one) => [one.name, one.tokens, one.cost])}>
      <p className="small soft">{t("tokens")}, {t("figures.zone", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</p>
      <Bars label={t("figures.hours")} values={sums.map((one) => ({ name: one.name, value: one.tokens }))} format={compact} hasAxis endsNow={false} />
    </ChartCard>
  )
}

const shownRows = 8

/** Where the sessions are that a row counts. */
function linkOf(by: RankingProps["by"], row: UsageRow): string | undefined {
  if (by === "project" && row.key && row.name) return "#/projects/" + encodeURIComponent(row.key)
  return by === "machine" && row.name ? tableHash({ ...noQuery, machine: row.name, archived: "all" }) : undefined
}

interface RankingProps {
  by: "model" | "project" | "machine" | "tool"
  rows: UsageRow[] | undefined
}

function Ranking({ by, rows: all = [] }: RankingProps) {
  const isTool = by === "tool"
  const amount = (row: UsageRow) => isTool ? row.toolCalls : row.cost || row.tokens
  const rows = all.filter((row) => amount(row) > 0).sort((one, other) => amount(other) - amount(one))
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
            <span className="clip">{linkOf(by, row) ? <a href={linkOf(by, row)}><Plain text={row.name} /></a> : <Plain text={row.name || "–"} />}</span>
            <span className="num">{byCost ? money(row.cost) : compact(amount(row))}</span>
            <i style={{ width: `${(100 * amount(row)) / most}%` }} />
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}
