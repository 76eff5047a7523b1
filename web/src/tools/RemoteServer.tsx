import { useCallback } from "react"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { dateAndTime } from "../lib/time"
import { visibleText } from "../lib/visible"
import { Mark } from "../parts/Mark"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { NeedsAdminister } from "../settings/NeedsAdminister"
import { mayAdminister } from "../state/me"
import { say } from "../state/toast"
import { named, t } from "../words/words"
import { Accounts } from "./Accounts"
import { LogIn } from "./LogIn"
import { askServer, disconnect, readConnection, removeServer, type Connection } from "./remote"
import type { ToolServer } from "./requests"
import { Sure } from "./Sure"

/** What is of a server that the monitor itself calls: its address, its login, and the accounts of programs' users. */
export function RemoteServer({ server, again }: { server: ToolServer; again: () => void }) {
  const may = useStore(mayAdminister)
  if (!may) {
    return (
      <section className="panel" aria-label={t("remote.access")}>
        <h2>{t("remote.access")}</h2>
        <NeedsAdminister commands={[`monitorctl tools connect ${server.id}`, `monitorctl tools accounts list --server ${server.id}`]} />
      </section>
    )
  }
  return (
    <>
      <Access server={server} again={again} />
      <Accounts server={server} />
    </>
  )
}

function Access({ server, again }: { server: ToolServer; again: () => void }) {
  const connection = useLoaded(async () => ({ found: await readConnection(server.id) }), [server.id])
  const look = useCallback(() => {
    connection.again()
    again()
  }, [connection.again, again])
  const found = connection.value?.found ?? null
  const name = visibleText(server.name)
  const headers = server.header_names ?? []
  const ask = () => askServer(server.id).then(again, again)
  const remove = () => removeServer(server.id).then(() => {
    say(t("remote.removed", { name }))
    location.hash = "#/tools"
  })
  return (
    <section className="panel" aria-label={t("remote.access")}>
      <h2>{t("remote.access")}</h2>
      <dl className="kv">
        <dt>{t("remote.url")}</dt><dd className="wrap"><code><Plain text={server.url ?? ""} isCommand /></code></dd>
        {headers.length > 0 && <><dt>{t("remote.headers")}</dt><dd className="wrap"><Plain text={headers.join(", ")} /></dd></>}
      </dl>
      <Fault what={t("remote.unread")} error={connection.error} again={connection.again} />
      {connection.value && <Login found={found} isNeeded={server.state === "needs-auth"} />}
      {connection.value && (
        <div className="acts">
          {(found || headers.length === 0) && <LogIn server={server.id} label={t(found ? "remote.again" : "remote.logIn")}
            isCalm={found?.state === "connected" && found.wanted_scope === undefined} onBack={look} />}
          {found && <Sure label={t("remote.logOut")} title={t("remote.logOutTitle", { name })} means={t("remote.logOutMeans")}
            onConfirm={() => disconnect(server.id).then(ask).then(connection.again)} />}
          <Sure label={t("remote.remove")} title={t("remote.removeTitle", { name })} means={t("remote.removeMeans")} onConfirm={remove} />
        </div>
      )}
    </section>
  )
}

function Login({ found, isNeeded }: { found: Connection | null; isNeeded: boolean }) {
  if (!found) return <p className="row wrap"><Mark kind={isNeeded ? "wait" : "idle"} />{t(isNeeded ? "remote.needed" : "remote.none")}</p>
  const isWide = found.wanted_scope === undefined
  return (
    <>
      <p className="row wrap">
        <Mark kind={found.state === "connected" && isWide ? "done" : "wait"} />
        <b>{t(found.state === "connected" ? "remote.connected" : "remote.over")}</b>
      </p>
      {!isWide && <p className="small wrap"><Plain text={t("remote.wider", { scope: found.wanted_scope ?? "" })} /></p>}
      <dl className="kv">
        <dt>{t("remote.issuer")}</dt><dd className="wrap"><Plain text={found.issuer} /></dd>
        {found.scope && <><dt>{t("remote.scope")}</dt><dd className="wrap"><Plain text={found.scope} /></dd></>}
        <dt>{t("remote.since")}</dt><dd>{dateAndTime(found.connected_at)}</dd>
        {found.state === "connected" && found.expires_at && <><dt>{t("remote.expires")}</dt><dd>{dateAndTime(found.expires_at)}</dd></>}
        {found.state !== "connected" && found.reason && <><dt>{t("remote.why")}</dt><dd>{named("remote.reason", found.reason)}</dd></>}
      </dl>
    </>
  )
}
