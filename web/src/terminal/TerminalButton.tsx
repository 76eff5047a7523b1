import { lazy, Suspense, useEffect } from "react"
import type { Session } from "../api/types"
import { Store, useStore } from "../lib/store"
import { mayControl } from "../state/me"
import { t } from "../words/words"

const TerminalView = lazy(async () => ({ default: (await import("./TerminalView")).TerminalView }))

/** The session whose terminal is open. */
const opened = new Store<string | null>(null)

/** Opens the terminal of a session that the machine's agent holds. */
export function TerminalButton({ session }: { session: Session }) {
  const may = useStore(mayControl)
  if (!may || session.status === "ended") return null
  return <button type="button" className="quiet" onClick={() => opened.set(session.id)}>{t("terminal")}</button>
}

/** The open terminal of the session, over everything else. */
export function OpenTerminal({ session }: { session: Session }) {
  const isOpen = useStore(opened) === session.id
  useEffect(() => () => opened.set(null), [session.id])
  if (!isOpen) return null
  return <Suspense><TerminalView session={session} onClose={() => opened.set(null)} /></Suspense>
}
