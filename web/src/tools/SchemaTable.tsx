import { useMemo } from "react"
import { cut } from "../lib/visible"
import { Pieces, Plain } from "../parts/Plain"
import { named, t } from "../words/words"
import { membersOf, type Member } from "./schema"

/** The JSON below the table has it all. */
const longestText = 600
const shownValues = 12

/** The arguments of a tool, one a row. */
export function SchemaTable({ schema, label }: { schema: unknown; label: string }) {
  const { members, isWhole } = useMemo(() => membersOf(schema), [schema])
  if (members.length === 0) return <p className="soft small">{t(isWhole ? "schema.none" : "schema.notWhole")}</p>
  return (
    <>
      <table className="schema" aria-label={label}>
        <thead><tr><th scope="col">{t("schema.name")}</th><th scope="col">{t("schema.type")}</th><th scope="col">{t("schema.required")}</th>
          <th scope="col">{t("schema.description")}</th></tr></thead>
        <tbody>{members.map((one, index) => <Row key={index} member={one} />)}</tbody>
      </table>
      {!isWhole && <p className="soft small">{t("schema.notWhole")}</p>}
    </>
  )
}

function Row({ member }: { member: Member }) {
  const { path, isRequired, description, values, initial, limits } = member
  return (
    <tr>
      <th scope="row"><code><Plain text={cut(path, longestText)} isCommand /></code></th>
      <td><Plain text={typeText(member)} /></td>
      <td>{isRequired ? <b>{t("schema.isRequired")}</b> : <span className="soft">{t("schema.optional")}</span>}</td>
      <td>
        {description && <p className="wrap" dir="auto"><Pieces text={cut(description, longestText)} /></p>}
        {values.length > 0 && <p className="small soft wrap">{t("schema.oneOf")} <Texts all={values} /></p>}
        {initial !== undefined && <p className="small soft wrap">{t("schema.initial")} <Texts all={[initial]} /></p>}
        {limits.length > 0 && <p className="small soft wrap"><Texts all={limits.map(([name, value]) => `${name} ${JSON.stringify(value)}`)} /></p>}
      </td>
    </tr>
  )
}

function Texts({ all }: { all: readonly string[] }) {
  return (
    <>
      {all.slice(0, shownValues).map((text, index) => [index > 0 && ", ", <code key={index}><Plain text={cut(text, longestText)} isCommand /></code>])}
      {all.length > shownValues && " …"}
    </>
  )
}

export function typeText({ types, items }: Member): string {
  const word = (type: string) => named("type", cut(type, 40))
  const own = types.map((type) => type === "array" && items.length > 0 ? t("type.listOf", { of: items.map(word).join(t("type.or")) }) : word(type))
  return own.join(t("type.or")) || t("type.any")
}
