import { Fragment } from "react"
import { compact, took } from "../../lib/time"
import { cut, oneLine } from "../../lib/visible"
import { Running } from "../../parts/Age"
import { Markdown } from "../../parts/Markdown"
import { Mark, type MarkKind } from "../../parts/Mark"
import { Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { agentFacts, type Agent, type AgentFacts } from "../agents"
import { headOf } from "../heads"
import { string } from "../model"
import { toolName } from "../../lib/names"
import { Head } from "./Head"

const marks: Record<AgentFacts["state"], MarkKind> = { running: "work", waiting: "wait", done: "done", failed: "bad", denied: "bad" }
const longest = 20_000
const shortest = 280

interface Props {
  agent: Agent
  isOpen: boolean
  onToggle: () => void
  root: string | undefined
}

/** A subagent: what for, how far, and what it found; what it did is below it when it is open. */
export function AgentCard({ agent, isOpen, onToggle, root }: Props) {
  const { state, calls, tokens, milliseconds, result } = agentFacts(agent)
  const title = string(agent.call?.input.description) ?? ""
  const prompt = string(agent.call?.input.prompt)
  const facts = [
    <span key="state" className={state === "failed" || state === "denied" ? "minus" : undefined}>{named("agent.state", state)}</span>,
    calls > 0 && t("tool.calls.n", { n: calls }), tokens !== undefined && t("tool.tokens", { n: compact(tokens) }),
    state === "running" ? <Running key="time" since={agent.call?.at ?? agent.items[0]?.at ?? ""} /> : milliseconds !== undefined && took(milliseconds),
  ].filter(Boolean)
  return (
    <section className="agentcard" aria-label={t("agent.card", { title: title || agent.type })}>
      <Head isOpen={isOpen} onToggle={onToggle}>
        <span className="row wrap">
          <Mark kind={marks[state]} /> <span className="tool"><Plain text={oneLine(title || agent.type || t("agent", { id: agent.id.slice(0, 8) }), 120)} /></span>
          {title && agent.type && <span className="tag"><Plain text={oneLine(agent.type, 60)} /></span>}
        </span>
        <span className="small soft num under">{facts.map((fact, index) => <Fragment key={index}>{index > 0 && " · "}{fact}</Fragment>)}</span>
      </Head>
      {isOpen && prompt && (
        <details className="thinking"><summary className="soft small">{t("agent.prompt")}</summary><Markdown text={cut(prompt, longest)} /></details>
      )}
      {!isOpen && state === "running" && <Now agent={agent} root={root} />}
      {result && (
        <div className="result">
          {isOpen ? <Markdown text={cut(result, longest)} />
            : <p className="small soft wrap"><Plain text={oneLine(withoutMarks(result), shortest)} /></p>}
        </div>
      )}
    </section>
  )
}

/** The words of a text in Markdown, for one line. */
function withoutMarks(text: string): string {
  return text.slice(0, 4 * shortest).replace(/\*\*|__|`+|^#{1,6}\s+/gm, "")
}

/** What it does at the moment. */
function Now({ agent, root }: { agent: Agent; root: string | undefined }) {
  const last = agent.items.filter((item) => item.kind === "tool").pop()
  if (last?.kind !== "tool") return null
  const { words, code } = headOf(last, root)
  return <p className="small soft clip result"><span className="tool">{toolName(last.name).tool}</span> <Plain text={oneLine(words ?? code ?? "")} /></p>
}
