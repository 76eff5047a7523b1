import { useEffect, useRef, useState } from "react"
import { proposeGeometry } from "xterm/lib/addons/fit/fit"
import { Terminal } from "xterm/lib/public/Terminal"
import { part, send } from "../api/http"
import { asApiError, type ApiError } from "../api/errors"
import type { Session } from "../api/types"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { sessionName } from "../state/names"
import { t } from "../words/words"
import { keys } from "./keys"
import { ScreenStream } from "./screen"
import { Typist } from "./typist"

/** The terminal of a session over the whole page. What is typed goes there. */
export function TerminalView({ session, onClose }: { session: Session; onClose: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const typist = useRef<Typist | null>(null)
  const [isConnected, setConnected] = useState(false)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const path = `/v1/sessions/${part(session.id)}/terminal`
    const fail = (fault: unknown) => setError(asApiError(fault))
    const terminal = new Terminal({ fontFamily: "ui-monospace, monospace", fontSize: 13, scrollback: 5000, screenReaderMode: true })
    const sender = new Typist((data) => send("POST", path + "/keys", { data }).then(() => setError(null)), fail)
    typist.current = sender
    terminal.open(element)
    terminal.on("data", (data) => sender.type(data))
    let size = ""
    const fit = () => {
      const room = proposeGeometry(terminal)
      if (!room || !(room.cols > 1) || !(room.rows > 1) || size === `${room.cols} ${room.rows}`) return
      size = `${room.cols} ${room.rows}`
      terminal.resize(room.cols, room.rows)
      send("PUT", path + "/size", { columns: room.cols, rows: room.rows }).catch(fail)
    }
    const watcher = new ResizeObserver(fit)
    watcher.observe(element)
    const stream = new ScreenStream(session.id, (screen) => {
      if (screen.restarts) terminal.reset()
      terminal.write(screen.data)
    }, setConnected)
    terminal.focus()
    return () => {
      watcher.disconnect()
      stream.close()
      terminal.destroy()
    }
  }, [session.id])
  return (
    <section className="console" role="dialog" aria-modal="true" aria-label={t("terminal")}>
      <header className="row">
        <h2 className="grow"><Plain text={sessionName(session)} /></h2>
        {!isConnected && <span className="soft small" role="status">{t("terminal.connecting")}</span>}
        <button type="button" onClick={onClose}>{t("terminal.close")}</button>
      </header>
      <Fault error={error} />
      <div ref={place} className="screen" />
      <div className="keys" role="group" aria-label={t("terminal.keys")}>
        {keys.map((key) => (
          <button type="button" key={key.name} onPointerDown={(event) => event.preventDefault()}
            onClick={() => typist.current?.type(key.sends)}>{key.name}</button>
        ))}
      </div>
    </section>
  )
}
