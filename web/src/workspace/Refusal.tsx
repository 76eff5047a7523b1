import type { ApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Command } from "../parts/Copy"
import { Plain } from "../parts/Plain"
import { myDevice } from "../state/me"
import { t, textFor } from "../words/words"
import { useAllowed, type Need } from "./useAllowed"

interface Props {
  error: ApiError | null
  machine: string
  /** The word of the machine's file that would allow it. */
  needs: Need
  again?: () => void
}

/** Why the machine shows or does nothing, and what a person can do about it. */
export function Refusal({ error, machine, needs, again }: Props) {
  const device = useStore(myDevice)
  useAllowed(machine, error && again && byTheMachine.has(error.code) ? needs : null, again)
  if (!error) return null
  const title = error.code === "offline" ? t("fault.offline") : textFor(`refusal.${error.code}`, { machine })
  const own = saysMore.has(error.code) ? error.message : ""
  return (
    <div className="refusal" role="alert">
      <p><b><Plain text={title ?? error.message} /></b></p>
      {error.code === "insufficient_scope" && <Command text={`monitorctl device grant ${device ?? "ID"} ${needs === "git=write" || needs === "git=push" ? "control" : "respond"}`} />}
      {error.code === "not_allowed_by_machine" && <p className="small soft">{t("refusal.write", { machine, word: needs })}</p>}
      {error.code === "agent_unavailable" && <p className="small soft">{t("refusal.start")}</p>}
      {title && own && <p className="small soft wrap"><Plain text={own} /></p>}
      {again && mayPass(error) && <button type="button" onClick={again}>{t("try.again")}</button>}
    </div>
  )
}

/** Where the words of the machine or of git say more than the title. */
const saysMore = new Set(["not_allowed_by_machine", "outside_roots", "agent_failed", "git_unavailable", "git_timeout", "repository_busy"])

/** What a person at the machine can mend. */
const byTheMachine = new Set(["not_allowed_by_machine", "outside_roots", "agent_unavailable", "untrusted_directory"])

const afterAChange = new Set(["not_allowed_by_machine", "insufficient_scope", "file_not_found", "changed_meanwhile", "repository_busy", "not_a_git_repo"])

/** Whether the same may succeed later, perhaps after a person has changed something. */
function mayPass(error: ApiError): boolean {
  return error.isPassing || afterAChange.has(error.code)
}
