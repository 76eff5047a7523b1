import { get } from "../api/http"
import type { Page, Prompt } from "../api/types"
import { useLoaded } from "../lib/load"
import { timeOfDay } from "../lib/time"
import { t } from "../words/words"

/** Says that an answer which should have covered this call did not: its rule took no effect. */
export function AskedAgain({ prompt }: { prompt: Prompt }) {
  const found = useLoaded(async () => {
    const page = await get<Page<Prompt>>("/v1/prompts", { state: "answered", session_id: prompt.session_id, limit: 50 })
    return earlierOf(prompt, page.data)
  }, [prompt.id])
  const answer = found.value?.answer
  if (!answer?.at) return null
  return <p className="small warn">{t(answer.scope === "always" ? "rule.again.always" : "rule.again.session", { time: timeOfDay(answer.at) })}</p>
}

/** The latest answer that allowed the same call with a rule. */
export function earlierOf(prompt: Prompt, answered: readonly Prompt[]): Prompt | null {
  const key = keyOf(prompt)
  const isRule = ({ answer }: Prompt) => answer?.decision !== "deny" && (answer?.scope === "session" || answer?.scope === "always")
  const found = answered.filter((one) => one.id !== prompt.id && one.kind === "permission" && isRule(one) && keyOf(one) === key
    && (one.answer?.at ?? "~") < prompt.opened_at)
  return found.sort((one, other) => (one.answer?.at ?? "").localeCompare(other.answer?.at ?? "")).pop() ?? null
}

function keyOf({ tool_name: tool, tool_input: input = {} }: Prompt): string {
  return JSON.stringify([tool, input.command ?? input.file_path ?? input.notebook_path ?? input])
}
