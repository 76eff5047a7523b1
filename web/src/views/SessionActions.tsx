import type { Session } from "../api/types"
import { useSelected, useStore } from "../lib/store"
import { archive, asked, pin } from "../state/change"
import { mayAdminister, mayControl, mayRespond } from "../state/me"
import { sessions } from "../state/sessions"
import { t } from "../words/words"

/** What a person can do to a session itself, in its menu. */
export function SessionActions({ id }: { id: string }) {
  const session = useSelected(sessions, (all) => all.get(id))
  const mayChange = useStore(mayRespond)
  const mayErase = useStore(mayAdminister)
  const mayRewind = useStore(mayControl) && session?.runner === "agent" && session.status !== "ended"
  if (!session || !(mayChange || mayErase || mayRewind)) return null
  const close = (act: (session: Session) => void) => (event: { currentTarget: HTMLElement }) => {
    event.currentTarget.closest("details")?.removeAttribute("open")
    act(session)
  }
  return (
    <>
      {mayChange && (
        <>
          <button type="button" className="quiet" onClick={close(() => asked.set({ about: "rename", session }))}>{t("rename")}</button>
          <button type="button" className="quiet" onClick={close(pin)}>{t(session.pinned ? "unpin" : "pin")}</button>
          <button type="button" className="quiet" onClick={close(() => archive([session.id], !session.archived))}>
            {t(session.archived ? "unarchive" : "archive")}
          </button>
        </>
      )}
      {mayRewind && <button type="button" className="quiet" onClick={close(() => asked.set({ about: "rewind", session }))}>{t("rewind")}</button>}
      {mayErase && <button type="button" className="quiet bad" onClick={close(() => asked.set({ about: "erase", session }))}>{t("erase")}</button>}
      <hr />
    </>
  )
}
