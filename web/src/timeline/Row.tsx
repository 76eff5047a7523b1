import { memo, type ReactNode } from "react"
import { named, t } from "../words/words"
import { bytes, dateAndTime, timeOfDay, took, weekday } from "../lib/time"
import { oneLine, cut } from "../lib/visible"
import { Running } from "../parts/Age"
import { Diff } from "../parts/Diff"
import { Markdown } from "../parts/Markdown"
import { Output } from "../parts/Output"
import { Pieces, Plain } from "../parts/Plain"
import { isError, type Item, type NoteItem, type ToolItem } from "./model"
import { changeCounts, toolDiff, toolHead, toolOutcome, toolOutput, toolPictures, verdictText, type ToolPicture } from "./tools"

const shownDiffLines = 24
const longestText = 20_000

interface RowProps {
  item: Item
  isMarked: boolean
  /** The day that begins with it. */
  day?: string
  /** The subagent whose lines begin with it. */
  agent?: string
}

/** One line of the timeline. It is drawn again only when its item is another object. */
export const Row = memo(function Row({ item, isMarked, day, agent }: RowProps) {
  const kind = item.kind === "you" ? " you" : isError(item) ? " bad" : ""
  const line = (
    <div className={`ev${kind}${item.agent ? " nest" : ""}${isMarked ? " found" : ""}`}>
      <i className="dot" aria-hidden="true" />
      <div className="what">
        <time className="faint small num end" dateTime={item.at} title={dateAndTime(item.at)}>{timeOfDay(item.at)}</time>
        {agent !== undefined && <span className="tag agent"><Plain text={oneLine(agent, 60)} /></span>}
        <Content item={item} />
      </div>
    </div>
  )
  return day ? <><p className="day soft small">{weekday(day)}</p>{line}</> : line
})

function Content({ item }: { item: Item }) {
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
      return <Tool item={item} />
    default:
      return (
        <Folded more={item.more}><span className={item.kind === "error" ? "minus" : "soft small"}>
          {named("event", item.word)}{item.text && !named("event", item.word).endsWith(":") && " ·"} {item.text && <Plain text={oneLine(noteText(item))} />}
        </span></Folded>
      )
  }
}

/** A line with more behind it. */
function Folded({ more, children }: { more: string | undefined; children?: ReactNode }) {
  if (!more) return <>{children}</>
  return <details className="thinking"><summary>{children}</summary><Markdown text={cut(more, longestText)} /></details>
}

function Tool({ item }: { item: ToolItem }) {
  const head = toolHead(item)
  const outcome = toolOutcome(item)
  const diff = toolDiff(item)
  const counts = diff && changeCounts(item)
  const output = toolOutput(item)
  // What waits stands whole in its card; what was denied never happened.
  const isApplied = item.state !== "waiting" && item.state !== "denied"
  return (
    <>
      <span className="tool"><Plain text={item.name} /></span>{" "}
      {head.code !== undefined ? <code className="wrap"><Plain text={cut(head.code, 600)} /></code>
        : <span className="wrap"><Plain text={oneLine(head.words ?? "")} /></span>}{" "}
      {isApplied && counts && counts.added > 0 && <span className="small plus">+{counts.added} </span>}
      {isApplied && counts && counts.removed > 0 && <span className="small minus">−{counts.removed} </span>}
      {item.verdict?.answer && item.state !== "denied" && <span className="small soft"><Plain text={verdictText(item.verdict)} /> · </span>}
      {outcome && <span className={"small wrap " + outcome.tone}><Plain text={outcome.text} /></span>}
      <Time item={item} hasBefore={outcome !== null} />
      {diff && isApplied && <Diff lines={diff} shown={shownDiffLines} />}
      {diff && item.state === "denied" && counts && (
        <details className="void">
          <summary className="soft small">{t("diff.void")} <s>+{counts.added} −{counts.removed}</s></summary>
          <Diff lines={diff} shown={shownDiffLines} />
        </details>
      )}
      {toolPictures(item).map((picture, index) => <Picture key={index} picture={picture} />)}
      {output && shows(item) && <Output text={output} isError={isError(item)} />}
    </>
  )
}

/** The picture where all of it is there; else what is known of it. */
function Picture({ picture }: { picture: ToolPicture }) {
  const facts = [picture.type, picture.bytes === undefined ? "" : bytes(picture.bytes), picture.size].filter(Boolean).join(" · ")
  return (
    <figure>
      {picture.url && <img className="picture" src={picture.url} alt={t("picture")} loading="lazy" />}
      <figcaption className="small soft">{!picture.url && t("picture") + ": "}<Plain text={facts} /></figcaption>
    </figure>
  )
}

/** What reading tools return is the file itself; it is long and known. */
function shows(item: ToolItem): boolean {
  return isError(item) || !/^(Read|Glob|Grep|LS|TodoWrite|Edit|MultiEdit|Write|NotebookEdit)$/.test(item.name)
}

/** How long the call has taken. */
function Time({ item, hasBefore }: { item: ToolItem; hasBefore: boolean }) {
  if (item.state !== "running" && item.milliseconds === undefined) return null
  return (
    <span className="small faint num">
      {hasBefore && " · "}{item.state === "running" ? <Running since={item.at} /> : took(item.milliseconds ?? 0)}
    </span>
  )
}

/** Reasons that Claude Code names by a word are told in words. */
function noteText(item: NoteItem): string {
  return item.word === "session_end" ? named("end", item.text) : item.word === "stop_failure" ? named("stop", item.text) : item.text
}
