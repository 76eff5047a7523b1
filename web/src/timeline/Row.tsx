import { memo, type ReactElement } from "react"
import { dateAndTime, timeOfDay, timeWithSeconds, weekday } from "../lib/time"
import { cut, oneLine } from "../lib/visible"
import { Markdown } from "../parts/Markdown"
import { Pieces, Plain } from "../parts/Plain"
import { t } from "../words/words"
import type { Line } from "./lines"
import { isError } from "./model"
import { AgentCard } from "./rows/AgentCard"
import { Call } from "./rows/Call"
import { Calls } from "./rows/Calls"
import { isMark, Note } from "./rows/Note"
import { Answers, Plan } from "./rows/Said"
import { Tasks } from "./rows/Tasks"

const longestText = 20_000

interface Props {
  line: Line
  /** The session's directory: paths are told from there. */
  root: string | undefined
  isLog: boolean
  isMarked: boolean
  /** The day that begins with it. */
  day?: string
  /** The subagent whose lines begin with it. */
  agent?: string
  onToggle: (line: Line) => void
}

/** One row of the timeline. It is drawn again only when what it shows has changed. */
export const Row = memo(function Row({ line, root, isLog, isMarked, day, agent, onToggle }: Props) {
  const { first: item, depth } = line
  const isItem = line.kind === "item"
  const kind = !isItem ? " " + line.kind : item.kind === "you" ? " you" : isError(item) ? " bad" : isMark(item) ? " between" : ` ${item.kind}`
  const hasTime = isLog || item.kind === "you"
  const row = (
    <div className={`ev${kind}${depth > 0 ? " nest" : ""}${isMarked ? " found" : ""}`}
      style={depth > 1 ? { marginInlineStart: `${1.1 * depth}rem` } : undefined}>
      <i className="dot" aria-hidden="true" />
      <div className="what">
        {hasTime && !isMark(item) && (
          <time className="faint small num end" dateTime={item.at} title={dateAndTime(item.at)}>
            {isLog ? timeWithSeconds(item.at) : timeOfDay(item.at)}
          </time>
        )}
        {agent !== undefined && <span className="tag agent"><Plain text={oneLine(agent, 60)} /></span>}
        <Content line={line} root={root} isLog={isLog} onToggle={() => onToggle(line)} />
      </div>
    </div>
  )
  return day ? <><p className="day soft small">{weekday(day)}</p>{row}</> : row
}, isSame)

/** The lines are made anew at each change; most of them show the same as before. */
function isSame(one: Props, other: Props): boolean {
  return one.isMarked === other.isMarked && one.day === other.day && one.agent === other.agent && one.root === other.root
    && one.isLog === other.isLog && one.onToggle === other.onToggle && isSameLine(one.line, other.line)
}

function isSameLine(one: Line, other: Line): boolean {
  if (one.kind !== other.kind || one.key !== other.key || one.isOpen !== other.isOpen || one.depth !== other.depth) return false
  const list = (line: Line): readonly unknown[] => line.kind === "calls" ? line.calls : line.kind === "tasks" ? line.tasks
    : line.kind === "agent" ? [line.agent.call, line.agent.end, ...line.agent.items] : [line.first]
  const [before, after] = [list(one), list(other)]
  return before.length === after.length && before.every((value, index) => value === after[index])
}

function Content({ line, root, isLog, onToggle }: { line: Line; root: string | undefined; isLog: boolean; onToggle: () => void }): ReactElement {
  const { isOpen, first: item } = line
  if (line.kind === "calls") return <Calls calls={line.calls} isOpen={isOpen} onToggle={onToggle} root={root} />
  if (line.kind === "agent") return <AgentCard agent={line.agent} isOpen={isOpen} onToggle={onToggle} root={root} />
  if (line.kind === "tasks") return <Tasks tasks={line.tasks} isOpen={isOpen} onToggle={onToggle} />
  switch (item.kind) {
    case "you":
      return <><span className="hear">{t("you")}: </span><div className="said" dir="auto"><Pieces text={cut(item.text, longestText)} /></div></>
    case "text":
      return <Markdown text={cut(item.text, longestText)} />
    case "thinking":
      return (
        <details className="thinking">
          <summary className="soft small">{t("thinking")}</summary>
          <Markdown text={cut(item.text, longestText)} />
        </details>
      )
    case "tool":
      if (!isLog && item.name === "ExitPlanMode") return <Plan item={item} isOpen={isOpen} onToggle={onToggle} />
      if (!isLog && item.name === "AskUserQuestion") return <Answers item={item} />
      return <Call item={item} isOpen={isOpen} onToggle={onToggle} root={root} />
    default:
      return <Note item={item} />
  }
}
