import { useCallback, useEffect, useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { dateAndTime, number } from "../lib/time"
import { withoutHidden } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Empty, Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { say } from "../state/toast"
import { useTitle } from "../state/title"
import { useKeptScroll } from "../views/keptScroll"
import { named, t } from "../words/words"
import { serverHash } from "./address"
import { ChangedTool } from "./ChangedTool"
import { Refresh } from "./Refresh"
import { RemoteServer } from "./RemoteServer"
import { accept, readServer, readTools, type Tool, type ToolServer } from "./requests"
import { markOf, placeOf, reasonOf, stateOf } from "./state"
import { ToolItem } from "./ToolItem"

/** One MCP server: its state, its tools that have changed, and then all of them. */
export function ServerView({ id, query }: { id: string; query: string }) {
  const server = useLoaded(() => readServer(id), [id])
  const tools = useLoaded(() => readTools(id), [id])
  const view = useKeptScroll<HTMLElement>(tools.value !== null)
  const shown = server.value
  const again = useCallback(() => {
    server.again()
    tools.again()
  }, [server.again, tools.again])
  useTitle(shown ? withoutHidden(shown.name) : t("tools"))
  return (
    <main ref={view} className="page tools">
      <header className="bar">
        <a className="back" href="#/tools" aria-label={t("tools.back")}><span aria-hidden="true">‹</span></a>
        <div className="grow heading">
          <h1 className="clip">{shown ? <Plain text={shown.name} /> : t("server")}</h1>
          {shown && <p className="clip soft small"><Plain text={placeOf(shown)} /></p>}
        </div>
        {shown && shown.machine_id !== null && <Refresh machine={shown.machine_id} path={shown.project_path} onDone={again} />}
      </header>
      {server.error?.code === "mcp_server_not_found" ? <Empty><h2>{t("server.gone")}</h2><a href="#/tools">{t("tools.back")}</a></Empty>
        : <Fault what={t("unread.server")} error={server.error ?? tools.error} again={again} />}
      {!(shown && tools.value) && !server.error && !tools.error && <Skeleton label={t("reading")} />}
      {shown && <Facts server={shown} />}
      {shown && shown.machine_id === null && <RemoteServer server={shown} again={again} />}
      {shown && tools.value && <AllTools server={shown} tools={tools.value} query={query} again={again} />}
    </main>
  )
}

function Facts({ server }: { server: ToolServer }) {
  const reason = reasonOf(server)
  return (
    <section className="panel" aria-label={t("server.facts")}>
      <p className="row wrap"><Mark kind={markOf(server)} /><b>{stateOf(server)}</b><span className="soft small"><Ago time={server.refreshed_at} /></span></p>
      {reason && <p className="wrap reason" tabIndex={0}><Plain text={reason} /></p>}
      <dl className="kv">
        <dt>{t("server.transport")}</dt><dd>{named("server.transport", server.transport)}</dd>
        <dt>{t("server.scope")}</dt><dd>{named("server.scope", server.scope)}</dd>
        <dt>{t("server.read")}</dt><dd>{dateAndTime(server.refreshed_at)}</dd>
      </dl>
    </section>
  )
}

/** Beyond these, the others are shown on demand. */
const perStep = 200

interface AllProps {
  server: ToolServer
  tools: readonly Tool[]
  query: string
  again: () => void
}

function AllTools({ server, tools, query, again }: AllProps) {
  const [open, setOpen] = useOpen(server.id, query, tools)
  const accepting = useAccepting(again)
  const place = tools.findIndex((one) => one.tool === open)
  const [most, setMost] = useState(Math.max(perStep, place + 1))
  const changed = tools.filter((one) => one.offered)
  return (
    <>
      {changed.length > 0 && (
        <section aria-label={t("changed")}>
          <h2 className="group"><span>{t("changed")}</span><span className="num">{number(changed.length)}</span></h2>
          <p className="note soft small">{t("changed.means")}</p>
          {changed.slice(0, most).map((one) => (
            <ChangedTool key={one.tool} tool={one} isSending={accepting.sending === one.tool}
              error={accepting.failed === one.tool ? accepting.error : null} onAccept={accepting.accept} />
          ))}
        </section>
      )}
      <section aria-label={t("server.tools")}>
        <h2 className="group"><span>{t("server.tools")}</span><span className="num">{number(tools.length)}</span></h2>
        {tools.length === 0 && <p className="note soft">{t(server.state === "connected" ? "server.noTools" : "server.noToolsYet")}</p>}
        {tools.length > 0 && !server.is_complete && <p className="note soft small">{t("server.notAll")}</p>}
        <ul className="results" aria-label={t("server.tools")}>
          {tools.slice(0, most).map((one) => <ToolItem key={one.tool} tool={one} isOpen={open === one.tool} onToggle={() => setOpen(open === one.tool ? "" : one.tool)} />)}
        </ul>
        {tools.length > most && <button type="button" className="quiet extra" onClick={() => setMost(most + perStep)}>{t("more")}</button>}
      </section>
    </>
  )
}

/** The tool that is open stands in the address; one that the address names is brought into view. */
function useOpen(server: string, query: string, tools: readonly Tool[]): [string, (tool: string) => void] {
  const asked = new URLSearchParams(query).get("tool") ?? ""
  const [open, setOpen] = useState(asked)
  useEffect(() => {
    setOpen(asked)
    const isKept = (history.state as { scroll?: number } | null)?.scroll !== undefined
    if (asked && !isKept) document.querySelector(`[data-tool="${CSS.escape(asked)}"]`)?.scrollIntoView({ block: "start" })
  }, [asked, tools.length > 0])
  return [open, (tool) => {
    setOpen(tool)
    history.replaceState(history.state, "", serverHash(server, tool))
  }]
}

interface Accepting {
  /** The tool whose new definition is being accepted. */
  sending: string
  failed: string
  error: ApiError | null
  accept: (tool: Tool, digest: string) => void
}

/** Accepts what was seen. If it has changed once more since, nothing is accepted, and what there is now is read. */
function useAccepting(again: () => void): Accepting {
  const [sending, setSending] = useState("")
  const [fault, setFault] = useState<{ tool: string; error: ApiError } | null>(null)
  return {
    sending, failed: fault?.tool ?? "", error: fault?.error ?? null,
    accept: (tool, digest) => {
      setSending(tool.tool)
      setFault(null)
      accept(tool, digest).then(() => {
        say(t("changed.accepted", { name: tool.name }))
        again()
      }, (reason: unknown) => {
        setFault({ tool: tool.tool, error: asApiError(reason) })
        again()
      }).finally(() => setSending(""))
    },
  }
}
