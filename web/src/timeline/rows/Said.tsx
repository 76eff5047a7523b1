import { cut } from "../../lib/visible"
import { Markdown } from "../../parts/Markdown"
import { Pieces, Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { record, string, type ToolItem } from "../model"
import { toolOutcome, verdictText } from "../tools"
import { Head } from "./Head"

const longest = 60_000
/** A plan of more lines is folded. */
const shortPlan = 14

interface Props {
  item: ToolItem
  isOpen: boolean
  onToggle: () => void
}

/** How it ended, in words. */
function End({ item }: { item: ToolItem }) {
  const outcome = toolOutcome(item)
  const text = item.verdict?.answer ? verdictText(item.verdict) : outcome?.text ?? ""
  return text ? <p className={"small wrap " + (item.state === "running" ? "soft" : outcome?.tone ?? "soft")}><Plain text={text} /></p> : null
}

/** A plan, as a document. While it waits it stands in its card. */
export function Plan({ item, isOpen, onToggle }: Props) {
  const plan = string(record(item.result).plan) ?? string(item.input.plan)
  const isShown = item.state !== "waiting" && plan !== undefined
  const isLong = isShown && plan.split("\n").length > shortPlan
  return (
    <>
      <p><span className="tool">{t("plan")}</span></p>
      <End item={item} />
      {!plan && <p className="soft small">{t("plan.none")}</p>}
      {isShown && (
        <div className="plan">
          <div className={isLong && !isOpen ? "plancut" : undefined}><Markdown text={cut(plan, longest)} /></div>
          {isLong && <Head isOpen={isOpen} onToggle={onToggle}>{t(isOpen ? "plan.less" : "plan.more")}</Head>}
        </div>
      )}
    </>
  )
}

/** The questions, each with what the person answered. */
export function Answers({ item }: { item: ToolItem }) {
  // While they wait they stand in their card.
  const questions = item.state !== "waiting" && Array.isArray(item.input.questions) ? item.input.questions.map(record) : []
  const answers = { ...record(item.input.answers), ...record(record(item.result).answers) }
  return (
    <>
      <dl className="answers">
        {questions.map((one, index) => {
          const question = string(one.question) ?? ""
          const answer = answers[question]
          const text = Array.isArray(answer) ? answer.map(String).join(", ") : string(answer)
          return (
            <div key={index}>
              <dt className="wrap" dir="auto"><Pieces text={question} /></dt>
              {text !== undefined && <dd dir="auto"><span className="hear">{t("you")}: </span><Pieces text={text} /></dd>}
            </div>
          )
        })}
      </dl>
      {questions.length === 0 && <p className="tool">{t("question")}</p>}
      <End item={item} />
    </>
  )
}
