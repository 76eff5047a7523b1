import { useState } from "react"
import { get, part } from "../api/http"
import type { ApprovalsFile } from "../api/approvals"
import type { Machine } from "../api/types"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { Ago } from "../parts/Age"
import { Command } from "../parts/Copy"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t } from "../words/words"
import { ruleInWords } from "./approvals"

/** What the approvals file of each machine says. Only the machine can change it. */
export function MachineRules() {
  const all = useStore(machines)
  return (
    <section className="stack" aria-labelledby="machine-rules">
      <h3 id="machine-rules">{t("approvals")}</h3>
      <p className="small soft">{t("approvals.hint")}</p>
      {all.map((machine) => <MachineFile key={machine.id} machine={machine} />)}
      <p className="small soft">{t("approvals.change")}</p>
      <Command text="${EDITOR:-vi} ~/.config/claude-monitor/approvals" />
    </section>
  )
}

function MachineFile({ machine }: { machine: Machine }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary><Plain text={machine.name} /></summary>
      {isOpen && <Report id={machine.id} />}
    </details>
  )
}

function Report({ id }: { id: string }) {
  const machine = useLoaded(() => get<Machine>("/v1/machines/" + part(id)), [id])
  const file = machine.value?.approvals
  return (
    <>
      <Fault what={t("unread.settings")} error={machine.error} again={machine.again} />
      {!machine.value && !machine.error && <Skeleton label={t("list.reading")} />}
      {machine.value && !file && <p className="small soft">{t("approvals.unknown")}</p>}
      {file && <Told file={file} />}
    </>
  )
}

function Told({ file }: { file: ApprovalsFile }) {
  return (
    <div className="stack">
      {file.flaw && <p className="small fault">{t("approvals.flaw")} <Plain text={file.flaw} /></p>}
      {!file.exists && <p className="small soft">{t("approvals.none")}</p>}
      {file.exists && !file.flaw && (
        <div className="scroll" tabIndex={0} role="group" aria-label={t("approvals")}>
          <table>
            <thead><tr>{(["approvals.line", "approvals.for", "approvals.says"] as const).map((word) => <th key={word} scope="col">{t(word)}</th>)}</tr></thead>
            <tbody>
              {file.rules.map((rule, index) => {
                const { subject, says } = ruleInWords(rule)
                return <tr key={index}><td className="num">{rule.line}</td><td><Plain text={subject} /></td><td><Plain text={says} /></td></tr>
              })}
              {file.cut
                ? <tr><td /><td colSpan={2}>{t("approvals.cut")}</td></tr>
                : <tr><td /><td>{t("approvals.else")}</td><td>{t("approvals.defaults")}</td></tr>}
            </tbody>
          </table>
        </div>
      )}
      <p className="small soft num">{t("approvals.reported")} <Ago time={file.reported_at} /></p>
    </div>
  )
}
