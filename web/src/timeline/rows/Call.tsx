import { useMemo } from "react"
import { firstChange } from "../../lib/firstChange"
import { toolName } from "../../lib/names"
import { route } from "../../lib/route"
import { useSelected } from "../../lib/store"
import { bytes, took } from "../../lib/time"
import { cut, oneLine } from "../../lib/visible"
import { Running } from "../../parts/Age"
import { Code } from "../../parts/Code"
import { Diff } from "../../parts/Diff"
import { Output } from "../../parts/Output"
import { Plain } from "../../parts/Plain"
import { useChangesLink } from "../../state/workspace"
import { t } from "../../words/words"
import { headOf, parametersOf } from "../heads"
import { filePath, isError, type ToolItem } from "../model"
import { changeCounts, toolDiff, toolOutcome, toolOutput, toolPictures, verdictText, type ToolPicture } from "../tools"
import { Head } from "./Head"

const shownDiffLines = 24
const longestCommand = 20_000

interface Props {
  item: ToolItem
  isOpen: boolean
  onToggle: () => void
  root: string | undefined
}

/** One call: what for, what came of it, and on demand all of it. */
export function Call({ item, isOpen, onToggle, root }: Props) {
  const output = toolOutput(item)
  const isLong = hasMore(item, output)
  return (
    <>
      {isLong ? <Head isOpen={isOpen} onToggle={onToggle}><Line item={item} root={root} isOpen={isOpen} /></Head>
        : <p className="fold none"><span className="grow"><Line item={item} root={root} isOpen={false} /></span></p>}
      {isOpen && isLong && <Whole item={item} />}
      <Change item={item} root={root} isOpen={isOpen} />
      {toolPictures(item).map((picture, index) => <Picture key={index} picture={picture} />)}
      {output && (isOpen || shows(item)) && <Output text={output} isError={isError(item)} isWhole={isOpen} />}
    </>
  )
}

/** Whether opening the call shows something that its line does not. */
function hasMore(item: ToolItem, output: string): boolean {
  if (item.name.startsWith("mcp__") ? Object.keys(item.input).length > 0 : typeof item.input.command === "string") return true
  return (output !== "" && !shows(item)) || output.length > 400
}

function Line({ item, root, isOpen }: { item: ToolItem; root: string | undefined; isOpen: boolean }) {
  const { words, code } = headOf(item, root)
  const { server, tool } = toolName(item.name)
  const outcome = toolOutcome(item)
  // The path and the counts of a change stand in its head.
  const hasHead = item.state !== "waiting" && item.state !== "denied" && changeCounts(item) !== null
  return (
    <>
      <span className="tool"><Plain text={tool} /></span>{" "}
      {server !== undefined && <span className="tag"><Plain text={server} /></span>}
      {words !== undefined && words !== "" && <span className="wrap"><Plain text={oneLine(words)} /> </span>}
      {code !== undefined && !hasHead && !(isOpen && item.input.command) && (
        <code className={words === undefined ? "wrap" : "clip hint soft"}><Plain text={oneLine(code)} /></code>
      )}{" "}
      {item.verdict?.answer && item.state !== "denied" && <span className="small soft"><Plain text={verdictText(item.verdict)} /> · </span>}
      {item.effect && <span className={"small " + (item.effect === "held" ? "plus" : "warn")}>{t(`rule.${item.effect}`)} · </span>}
      {outcome && <span className={"small wrap " + outcome.tone}><Plain text={outcome.text} /></span>}
      <Time item={item} hasBefore={outcome !== null} />
    </>
  )
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

/** All that was asked of the tool. */
function Whole({ item }: { item: ToolItem }) {
  const { command } = item.input
  if (typeof command === "string") return <Code text={cut(command, longestCommand)} language="bash" />
  if (!item.name.startsWith("mcp__") || parametersOf(item) === "") return null
  return <Code text={cut(JSON.stringify(item.input, null, 2), longestCommand)} language="json" />
}

/** The change of a file. What waits stands whole in its card; what was denied never happened. */
function Change({ item, root, isOpen }: { item: ToolItem; root: string | undefined; isOpen: boolean }) {
  const lines = useMemo(() => item.state === "waiting" ? null : toolDiff(item), [item])
  const session = useSelected(route, (shown) => shown.view === "session" ? shown.id : undefined)
  const href = useChangesLink(session, filePath(item), lines ? firstChange(lines) : undefined)
  if (!lines) return null
  const diff = <Diff lines={lines} shown={isOpen ? 2_000 : shownDiffLines} path={filePath(item)} root={root} href={item.state === "done" ? href : undefined} />
  if (item.state !== "denied") return diff
  const counts = changeCounts(item)
  return (
    <details className="void">
      <summary className="soft small">{t("diff.void")} <s>+{counts?.added ?? 0} −{counts?.removed ?? 0}</s></summary>
      {diff}
    </details>
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
  return isError(item) || !/^(Read|Glob|Grep|LS|TodoWrite|Edit|MultiEdit|Write|NotebookEdit|Task[A-Z]\w+|Skill|WebFetch|WebSearch|ToolSearch)$/.test(item.name)
}
