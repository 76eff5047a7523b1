import { getIfThere } from "../api/http"
import type { TokenUsage } from "../api/types"
import { ownZone } from "../lib/days"
import { useLoaded } from "../lib/load"
import { spent, type Unpriced } from "../lib/spent"
import { useStore } from "../lib/store"
import { compact, dateAndTime, money, number, now, timeOfDay } from "../lib/time"
import { t } from "../words/words"
import { Fault } from "../parts/Notice"
import { ChartCard } from "./ChartCard"

interface Sum {
  /** `null`: no window is open. */
  start: string | null
  end: string | null
  requests?: number
  token_usage?: TokenUsage
  total_tokens?: number
  total_cost?: number
  unpriced?: Unpriced
  confidence?: string
}

interface Answer {
  five_hour: Sum
  seven_day: Sum
}

const minuteMilliseconds = 60_000

/** What was used in the window of five hours that runs, and in the last seven days: by these Claude's plans are limited. */
export function Windows() {
  const minute = Math.floor(useStore(now) / minuteMilliseconds)
  const found = useLoaded(() => getIfThere<Answer>("/v1/usage/windows", { timezone: ownZone() }), [minute])
  if (!found.value) return <Fault what={t("unread.figures")} error={found.error} again={found.again} />
  const { five_hour: short, seven_day: long } = found.value
  const rows = [[t("windows.fiveHours"), short], [t("windows.sevenDays"), long]] as const
  return (
    <ChartCard title={t("windows")} columns={[t("windows"), t("windows.from"), t("windows.to"), t("requests"), t("tokens"), t("cost")]}
      rows={rows.map(([name, sum]) => [name, sum.start ?? "", sum.end ?? "", sum.requests ?? 0, sum.total_tokens ?? 0, spent(sum)])}
      formats={[String, String, String, number, number, money]}>
      <ul className="ranking">
        {rows.map(([name, sum]) => (
          <li key={name}>
            <span>{name}<span className="small soft under">{spanOf(sum, sum === short)}</span></span>
            <span className="num">{sum.confidence === "lower_bound" && "≥ "}{money(spent(sum))}
              <span className="small soft under">{t("tool.tokens", { n: compact(sum.total_tokens ?? 0) })}</span></span>
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}

function spanOf(sum: Sum, isShort: boolean): string {
  if (!sum.start || !sum.end) return t("windows.closed")
  return isShort ? t("windows.until", { from: timeOfDay(sum.start), to: timeOfDay(sum.end) }) : t("windows.since", { from: dateAndTime(sum.start) })
}
