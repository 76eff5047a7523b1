import { Fragment, useState } from "react"
import { isOtherZone } from "../lib/days"
import { sessionLink } from "../lib/route"
import { money } from "../lib/time"
import { Plain } from "../parts/Plain"
import { sessionName } from "../state/names"
import { sessions } from "../state/sessions"
import { named, t } from "../words/words"
import { nextThreshold, type Budget } from "./spending"
import { ChartCard } from "./ChartCard"

const scopes = ["day", "project", "session"] as const
const shownBudgets = 8

/** What was spent of each budget, the fullest first. */
export function Budgets({ budgets }: { budgets: Budget[] }) {
  const [isWhole, setWhole] = useState(false)
  const rows = [...budgets].sort((one, other) => rank(one) - rank(other) || share(other) - share(one))
  return (
    <ChartCard title={t("budgets")} columns={[t("budgets"), t("budget.spent"), t("budget.limit")]} formats={[String, money, money]}
      rows={rows.map((row) => [nameOf(row), row.spent_usd, nextThreshold(row)])}>
      {rows.length === 0 && <p className="small soft">{t("budget.none")}</p>}
      {scopes.map((scope) => {
        const own = rows.slice(0, isWhole ? undefined : shownBudgets).filter((row) => row.scope === scope)
        return own.length === 0 ? null : (
          <Fragment key={scope}>
            {scope !== "day" && <p className="small soft">{named("budget.scope", scope)}</p>}
            <ul className="ranking">{own.map((row) => <Row key={row.id} budget={row} />)}</ul>
          </Fragment>
        )
      })}
      {!isWhole && rows.length > shownBudgets && (
        <button type="button" className="quiet more" onClick={() => setWhole(true)}>{t("budget.more", { n: rows.length - shownBudgets })}</button>
      )}
      <p className="small soft"><a href="#/settings/notifications">{t("budget.set")}</a></p>
    </ChartCard>
  )
}

function Row({ budget }: { budget: Budget }) {
  const limit = nextThreshold(budget)
  const isOver = budget.spent_usd >= limit
  const name = <Plain text={nameOf(budget)} />
  return (
    <li>
      <span className="clip">
        {budget.scope === "session" ? <a className="plainlink" href={sessionLink(budget.id)}>{name}</a> : name}
      </span>
      <span className="num">
        {budget.reached_usd !== undefined && (
          <span className="minus small">{t("budget.over", { amount: money(budget.reached_usd) })} · </span>
        )}
        {money(budget.spent_usd)} <span className="soft">{t("budget.of", { limit: money(limit) })}</span>
      </span>
      <i className={isOver ? "meter over" : "meter"}><i style={{ width: `${Math.min(100, 100 * share(budget))}%` }} /></i>
    </li>
  )
}

function rank({ scope }: Budget): number {
  return scopes.indexOf(scope)
}

/** How much of the next threshold was spent. */
function share(budget: Budget): number {
  return budget.spent_usd / Math.max(nextThreshold(budget), Number.MIN_VALUE)
}

function nameOf(budget: Budget): string {
  if (budget.scope === "day") return budget.timezone && isOtherZone(budget.timezone) ? t("budget.todayIn", { zone: budget.timezone }) : t("budget.today")
  if (budget.scope === "project") return budget.name ?? budget.id
  const session = sessions.get().get(budget.id)
  return session ? sessionName(session) : budget.name ?? budget.id
}
