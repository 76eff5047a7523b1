import { useEffect, useMemo, useRef, useState } from "react"
import { useKeys } from "../lib/keys"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { visibleText } from "../lib/visible"
import { Fault, Skeleton } from "../parts/Notice"
import { readProjects } from "../projects/requests"
import { machines } from "../state/machines"
import { useTitle } from "../state/title"
import { Choice } from "../views/Filters"
import { useKeptScroll } from "../views/keptScroll"
import { t } from "../words/words"
import { toolsAddress, toolsHash, type ToolsAddress } from "./address"
import { AddServer } from "./AddServer"
import { FoundTools } from "./FoundTools"
import { Refresh } from "./Refresh"
import { readServers } from "./requests"
import { ServerList } from "./ServerList"

/** The MCP servers of all machines: what waits for a person first, then by machine; or the tools that fit some words. */
export function Tools({ query }: { query: string }) {
  useTitle(t("tools"))
  const [asked, change] = useAsked(query)
  const { text, machine, project } = asked
  const servers = useLoaded(() => readServers({ machine, project }), [machine, project])
  const view = useKeptScroll<HTMLElement>(servers.value !== null, toolsHash(asked))
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  return (
    <main ref={view} className="page tools">
      <header className="bar">
        <h1>{t("tools")}</h1>
        <span className="grow" />
        <AddServer />
        <a href="#/tools/calls">{t("calls")}</a>
        <Refresh machine={machine} project={project} onDone={servers.again} />
      </header>
      <div className="filters all">
        <input ref={field} type="search" aria-label={t("tools.find")} placeholder={t("tools.find")} value={text} dir="auto"
          onChange={(event) => change({ text: event.target.value }, true)} />
        <Where asked={asked} onChange={change} />
      </div>
      <Fault what={t("unread.servers")} error={servers.error} again={servers.again} />
      {text.trim() ? <FoundTools asked={asked} /> : servers.value ? <ServerList servers={servers.value} asked={asked} />
        : !servers.error && <Skeleton label={t("reading")} />}
    </main>
  )
}

/** What is asked for stands in the address: what is chosen is a step of the history, what is typed is none. */
function useAsked(query: string): [ToolsAddress, (part: Partial<ToolsAddress>, isTyped?: boolean) => void] {
  const [asked, setAsked] = useState(() => toolsAddress(query))
  useEffect(() => setAsked(toolsAddress(query)), [query])
  const change = (part: Partial<ToolsAddress>, isTyped = false) => {
    const next = { ...asked, ...part }
    setAsked(next)
    if (isTyped) history.replaceState(history.state, "", toolsHash(next))
    else location.hash = toolsHash(next)
  }
  return [asked, change]
}

/** A project is one on a machine, so that one of the two is chosen. */
function Where({ asked, onChange }: { asked: ToolsAddress; onChange: (part: Partial<ToolsAddress>) => void }) {
  const names = useStore(machines).map((one) => one.name)
  const projects = useLoaded(() => readProjects(), []).value?.projects
  const all = useMemo(() => new Map((projects ?? []).filter((one) => one.path).map((one) => [one.id, `${one.name} · ${one.machine_name ?? ""}`])), [projects])
  const known = (values: string[], value: string) => value && !values.includes(value) ? [value, ...values] : values
  return (
    <>
      <Choice label={t("filter.machine")} first={t("search.machines")} values={known(names, asked.machine)} value={asked.machine}
        onChange={(machine) => onChange({ machine, project: "" })} />
      <Choice label={t("filter.project")} first={t("search.projects")} values={known([...all.keys()], asked.project)} value={asked.project}
        name={(id) => visibleText(all.get(id) ?? id)} onChange={(project) => onChange({ project, machine: "" })} />
    </>
  )
}
