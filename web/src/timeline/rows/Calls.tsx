import { toolName } from "../../lib/names"
import { took } from "../../lib/time"
import { Output } from "../../parts/Output"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { headOf, toolsOf } from "../heads"
import { isError, type ToolItem } from "../model"
import { toolOutput } from "../tools"
import { Head } from "./Head"

interface Props {
  calls: readonly ToolItem[]
  isOpen: boolean
  onToggle: () => void
  root: string | undefined
}

/** The calls between two texts, in one line: `7 calls · 1 failed`. What failed last says so below it. */
export function Calls({ calls, isOpen, onToggle, root }: Props) {
  const count = (state: ToolItem["state"]) => calls.filter((call) => call.state === state).length
  const facts = [
    count("failed") > 0 && <span className="minus">{t("calls.failed", { n: count("failed") })}</span>,
    count("denied") > 0 && <span className="minus">{t("calls.denied", { n: count("denied") })}</span>,
    count("waiting") > 0 && <span className="warn">{t("tool.waits")}</span>,
    count("running") > 0 && <span>{t("calls.running", { n: count("running") })}</span>,
  ].filter(Boolean)
  const spent = calls.reduce((sum, call) => sum + (call.milliseconds ?? 0), 0)
  const failed = isOpen ? undefined : [...calls].reverse().find((call) => isError(call) && toolOutput(call))
  return (
    <>
      <Head isOpen={isOpen} onToggle={onToggle}>
        <span className="tool">{t("tool.calls.n", { n: calls.length })}</span>
        {facts.map((fact, index) => <span key={index}> · {fact}</span>)}
        <span className="small soft"> · <Plain text={toolsOf(calls, (call) => toolName(call.name).tool)} /></span>
        {spent >= 1000 && <span className="small faint num"> · {took(spent)}</span>}
      </Head>
      {failed && <Failed item={failed} root={root} />}
    </>
  )
}

const lastLines = 3

function Failed({ item, root }: { item: ToolItem; root: string | undefined }) {
  const { words, code } = headOf(item, root)
  const tail = toolOutput(item).trimEnd().split("\n").slice(-lastLines).join("\n")
  return (
    <div className="tail">
      <p className="small clip"><span className="tool">{toolName(item.name).tool}</span> <span className="soft"><Plain text={words ?? code ?? ""} /></span></p>
      <Output text={tail} isError />
    </div>
  )
}
