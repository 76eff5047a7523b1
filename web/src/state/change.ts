import { part, send } from "../api/http"
import { asApiError } from "../api/errors"
import type { Session } from "../api/types"
import { Store } from "../lib/store"
import { withoutHidden } from "../lib/visible"
import { explained, t } from "../words/words"
import { sessionName } from "./names"
import { named } from "./rows"
import { dropSession, putSession, sessions } from "./sessions"
import { say } from "./toast"

type Change = { title: string | null } | { pinned: boolean } | { archived: boolean } | { permission_mode: string }

/** What a person is asked about a session. */
export const asked = new Store<{ about: "rename" | "erase" | "rewind"; session: Session } | null>(null)

export async function changeSession(id: string, change: Change): Promise<void> {
  putSession(named(await send<Session>("PATCH", "/v1/sessions/" + part(id), change)))
}

export function pin(session: Session): void {
  changeSession(session.id, { pinned: !session.pinned }).catch(fail)
}

const mostAtOnce = 500

/** @param onChanged the table reads its page again */
export function archive(ids: readonly string[], archived: boolean, onChanged: () => void = () => undefined): void {
  const change = async (is: boolean) => {
    for (let at = 0; at < ids.length; at += mostAtOnce) await send("PATCH", "/v1/sessions", { ids: ids.slice(at, at + mostAtOnce), archived: is })
    sessions.update((all) => {
      const next = new Map(all)
      for (const id of ids) {
        const known = next.get(id)
        if (known) next.set(id, { ...known, archived: is })
      }
      return next
    })
    onChanged()
  }
  const undo = () => void change(!archived).catch(fail)
  change(archived).then(() => say(t(archived ? "archived.said" : "unarchived.said", { n: ids.length }), undo), fail)
}

/** Removes the session from the server for good. */
export async function erase(session: Session): Promise<void> {
  await send("POST", "/v1/erase", { session_id: session.id })
  dropSession(session.id)
  say(t("erased.said", { name: withoutHidden(sessionName(session)) }))
}

function fail(fault: unknown): void {
  say(explained(asApiError(fault)))
}
