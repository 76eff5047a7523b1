import { useMemo, useState } from "react"
import type { Prompt } from "../api/types"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Plain } from "../parts/Plain"
import { give, given, isGiven } from "../state/given"
import { placeOf, sessionName } from "../state/names"
import { prompts, type Answer } from "../state/prompts"
import { sessions } from "../state/sessions"
import { t } from "../words/words"
import { alikeOf } from "./sameCall"
import { PermissionBody } from "./PermissionBody"

/** Where several sessions ask the same: a way to answer them together. It comes with the card, so that nothing moves later. */
export function Alike({ prompt }: { prompt: Prompt }) {
  const all = useStore(prompts)
  const answers = useStore(given)
  const alike = useMemo(() => alikeOf(prompt, all.values()).filter((one) => !isGiven(answers, one.id)), [prompt, all, answers])
  const [isOffered] = useState(alike.length > 1)
  const [isOpen, setOpen] = useState(false)
  if (!isOffered) return null
  return (
    <div className="row">
      <p className="small soft grow">{t("alike", { n: Math.max(0, alike.length - 1) })}</p>
      <button type="button" className="quiet more" disabled={alike.length < 2} onClick={() => setOpen(true)}>{t("alike.open")}</button>
      {isOpen && <Together asked={alike} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** What is asked, and by whom; the answer goes to those that the person has ticked. */
function Together({ asked, onClose }: { asked: Prompt[]; onClose: () => void }) {
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
