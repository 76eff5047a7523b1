import { get } from "../api/http"
import type { Page, Prompt } from "../api/types"
import { useLoaded } from "../lib/load"
import { sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { endOf } from "../prompts/outcome"
import { RuleParts } from "../prompts/RuleParts"
import { ruleOf } from "../prompts/rules"
import { myDevice } from "../state/me"
import { placeOf } from "../state/names"
import { useNamed } from "../views/found"
import { t } from "../words/words"
import { MachineRules } from "./MachineRules"

/** The rules that answers have added: which ones, where, by whom, and how they are removed. */
export function Rules() {
  const found = useLoaded(async () => (await get<Page<Prompt>>("/v1/prompts", { state: "answered", limit: 200 })).data.filter(hasRule), [])
  const known = useNamed((found.value ?? []).map((prompt) => prompt.session_id))
  const here = useStore(myDevice)
  return (
    <div className="stack">
      <p className="small soft">{t("rules.hint")}</p>
      <Fault what={t("unread.settings")} error={found.error} again={found.again} />
      {!found.value && !found.error && <Skeleton label={t("list.reading")} />}
      {found.value?.length === 0 && <p className="empty soft">{t("rules.none")}</p>}
      <ul className="rows" aria-label={t("settings.rules")}>
        {found.value?.map((prompt) => {
          const session = known.get(prompt.session_id)
          return (
            <li key={prompt.id}>
              <RuleParts parts={ruleOf(prompt)?.parts ?? []} />
              <p className="small">{endOf(prompt.kind, prompt.state, prompt.answer, here)} · <span className="num">{dateAndTime(prompt.answer?.at ?? "")}</span></p>
              <p className="small soft"><a href={sessionLink(prompt.session_id)}><Plain text={session ? placeOf(session) : prompt.machine_name ?? prompt.session_id} /></a></p>
            </li>
          )
        })}
      </ul>
      <p className="small soft">{t("rules.remove")}</p>
      <MachineRules />
    </div>
  )
}

/** Whether the answer has added a rule that the page can name. */
function hasRule(prompt: Prompt): boolean {
  const { answer } = prompt
  return answer?.decision !== "deny" && (answer?.scope === "always" || answer?.scope === "session") && ruleOf(prompt) !== null
}
