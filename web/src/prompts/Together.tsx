import { useState } from "react"
import type { Prompt } from "../api/types"
import { Dialog } from "../parts/Dialog"
import { Plain } from "../parts/Plain"
import { give } from "../state/given"
import { placeOf, sessionName } from "../state/names"
import type { Answer } from "../state/prompts"
import { sessions } from "../state/sessions"
import { t } from "../words/words"
import { PermissionBody } from "./PermissionBody"

/** What is asked, and by whom; the answer goes to those that the person has ticked. */
export function Together({ asked, onClose }: { asked: Prompt[]; onClose: () => void }) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const chosen = asked.filter((prompt) => ticked.has(prompt.id))
  const toggle = (id: string) => setTicked((was) => new Set(was.has(id) ? [...was].filter((one) => one !== id) : [...was, id]))
  const answer = (body: Answer) => {
    onClose()
    for (const prompt of chosen) give(prompt, body, true)
  }
  return (
    <Dialog title={t("alike.title")} onClose={onClose}>
      {asked[0] && <div className="stack"><p><b><Plain text={asked[0].tool_name ?? ""} /></b></p><PermissionBody prompt={asked[0]} /></div>}
      <p className="small soft">{t("alike.hint")}</p>
      <div className="stack together">{asked.map((prompt) => {
        const session = sessions.get().get(prompt.session_id)
        return (
          <label key={prompt.id} className="opt slim">
            <input type="checkbox" checked={ticked.has(prompt.id)} onChange={() => toggle(prompt.id)} />
            <span>
              <Plain text={session ? sessionName(session) : prompt.session_id} />
              {session && <span className="small soft under"><Plain text={placeOf(session)} /></span>}
            </span>
          </label>
        )
      })}</div>
      <div className="acts">
        <button type="button" className="yes" disabled={chosen.length === 0} onClick={() => answer({ decision: "allow", scope: "once" })}>
          {t("alike.allow", { n: chosen.length })}
        </button>
        <button type="button" disabled={chosen.length === 0} onClick={() => answer({ decision: "deny" })}>{t("alike.deny", { n: chosen.length })}</button>
      </div>
    </Dialog>
  )
}
