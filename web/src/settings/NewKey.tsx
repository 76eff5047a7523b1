import { useEffect, useRef, useState } from "react"
import { asApiError } from "../api/errors"
import { send } from "../api/http"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { explained, t } from "../words/words"

/** Makes a key for a machine, and shows the command that uses it. The server shows the key only this once. */
export function NewKey({ onMade }: { onMade?: () => void }) {
  const [name, setName] = useState("")
  const [command, setCommand] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const shown = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The braces keep the result from React, which would call it as a cleanup. Newer browsers return a promise.
    shown.current?.scrollIntoView({ block: "nearest" })
  }, [command])
  const create = (event: Event) => {
    event.preventDefault()
    setError(null)
    send<{ install: string }>("POST", "/v1/keys", { name: name.trim() }).then((made) => {
      setCommand(made.install)
      setName("")
      onMade?.()
    }, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <>
      <form className="row" onSubmit={create}>
        <input type="text" aria-label={t("key.name")} placeholder={t("key.name")} value={name} maxLength={200}
          onChange={(event) => setName(event.target.value)} />
        <button type="submit" className="yes" disabled={!name.trim()}>{t("key.create")}</button>
      </form>
      <Fault error={error} />
      {command && (
        <div role="status" ref={shown}>
          <p className="small soft">{t("key.once")}</p>
          <Command text={command} />
        </div>
      )}
    </>
  )
}
