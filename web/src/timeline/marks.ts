import { dayOf } from "../lib/days"
import { t } from "../words/words"
import type { Line } from "./lines"

/** The day of a row where another one begins; the rows themselves tell the time of day alone. */
export function newDay(lines: readonly Line[], index: number): string | undefined {
  const day = dayOf(lines[index]!.first.at)
  const before = lines[index - 1]
  return day === dayOf(before ? before.first.at : Date.now()) ? undefined : day
}

/** How far back the line of another subagent is looked for. */
const agentRows = 100

/** The subagent of a row, where the last row of a subagent before it was of another one. */
export function newAgent(lines: readonly Line[], index: number): string | undefined {
  const { agent, agentType } = lines[index]!.first
  if (agent === undefined) return undefined
  for (let at = index - 1; at >= 0 && at >= index - agentRows; at--) {
    const before = lines[at]!.first.agent
    if (before === agent) return undefined
    if (before !== undefined) break
  }
  return agentType ? `${agentType} ${agent.slice(0, 8)}` : t("agent", { id: agent.slice(0, 8) })
}
