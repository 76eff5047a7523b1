import { useId } from "react"
import { cut, visibleText } from "../lib/visible"
import { Pieces, Plain } from "../parts/Plain"
import { t } from "../words/words"
import { choicesOf, type Field, type Problem } from "./arguments"
import { typeText } from "./SchemaTable"

const longestText = 600

interface Props {
  field: Field
  text: string
  problem: Problem | undefined
  onChange: (text: string) => void
}

/** One argument of a tool, named as the tool names it. */
export function ArgumentField({ field: { member, kind }, text, problem, onChange }: Props) {
  const id = useId()
  const common = {
    id, value: text, required: member.isRequired, "aria-invalid": problem !== undefined, "aria-describedby": `${id}-hint ${id}-problem`,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  return (
    <div className="field">
      <label htmlFor={id}><code><Plain text={cut(member.path, 200)} isCommand /></code>{member.isRequired && <span className="tag">{t("schema.isRequired")}</span>}</label>
      <p id={`${id}-hint`} className="small soft wrap" dir="auto">
        <Pieces text={[typeText(member), hint(kind), cut(member.description, longestText)].filter(Boolean).join(" · ")} />
      </p>
      {kind === "choice" ? (
        <select className="argument" {...common}>
          <option value="" />
          {choicesOf(member).map((value) => <option key={value} value={value}>{visibleText(cut(label(value), 200))}</option>)}
        </select>
      ) : kind === "number" ? <input className="argument" type="text" inputMode="decimal" autoComplete="off" dir="ltr" {...common} />
        : <textarea rows={kind === "text" ? 1 : 3} className={kind === "json" ? "argument code" : "argument"} spellCheck={false} autoCapitalize="off"
          dir={kind === "json" ? "ltr" : "auto"} {...common} />}
      <p id={`${id}-problem`} className="small fault">{problem && t(problem.word, problem.values)}</p>
    </div>
  )
}

function hint(kind: Field["kind"]): string {
  return kind === "list" ? t("try.lines") : kind === "json" ? t("try.json") : ""
}

/** Texts without their quotation marks. */
function label(value: string): string {
  if (value === "true") return t("try.yes")
  if (value === "false") return t("try.no")
  const is = JSON.parse(value) as unknown
  return typeof is === "string" && is !== "" ? is : value
}
