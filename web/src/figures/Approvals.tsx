import { get } from "../api/http"
import type { Page, Prompt } from "../api/types"
import { useLoaded } from "../lib/load"
import { number, took } from "../lib/time"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { named, t } from "../words/words"
import { Bars } from "./Bars"
import { ChartCard } from "./ChartCard"

const limits = [5, 15, 60, 300, 1800, Infinity]

/** The device by its name; without an answer, how the prompt ended. */
function answeredBy({ answer, state }: Prompt): string {
  if (!answer?.by?.kind) return named("prompt.state", state)
  return answer.by.kind === "device" && answer.by.name ? answer.by.name : named("by", answer.by.kind)
}

/** Of the latest prompts: how many were answered, by whom, and how long it took. */
export function Approvals() {
  const latest = useLoaded(() => get<Page<Prompt>>("/v1/prompts", { limit: 200 }), [])
  const closed = (latest.value?.data ?? []).filter((prompt) => prompt.state !== "open" && prompt.kind !== "input")
  if (latest.error) return <Fault what={t("unread.figures")} error={latest.error} again={latest.again} />
  if (closed.length === 0) return null
  const seconds = closed.flatMap((prompt) => {
    const end = Date.parse(prompt.answer?.at ?? prompt.closed_at ?? "")
    return Number.isNaN(end) ? [] : [Math.max(0, (end - Date.parse(prompt.opened_at)) / 1000)]
  }).sort((one, other) => one - other)
  const bars = limits.map((limit, index) => ({
    name: limit === Infinity ? t("longer") : "≤ " + took(1000 * limit),
    value: seconds.filter((one) => one <= limit && one > (limits[index - 1] ?? -1)).length,
  }))
  const by = new Map<string, number>()
  for (const prompt of closed) {
    const name = answeredBy(prompt)
    by.set(name, (by.get(name) ?? 0) + 1)
  }
  const middle = seconds[Math.floor(seconds.length / 2)]
  return (
    <ChartCard title={t("figures.approvals")} columns={[t("figures.waited"), t("count")]} formats={[String, number]}
      rows={bars.map((bar) => [bar.name, bar.value])}>
      <p className="small soft">
        {t("figures.latest", { n: closed.length })} · {middle === undefined ? "" : t("figures.median", { time: took(1000 * middle) })}
      </p>
      <Bars label={t("figures.approvals")} values={bars} format={number} endsNow={false} hasNames />
      <p className="small"><Plain text={[...by].map(([name, count]) => `${name}: ${number(count)}`).join(", ")} /></p>
    </ChartCard>
  )
}
