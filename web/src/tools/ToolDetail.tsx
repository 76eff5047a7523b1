import { dateAndTime } from "../lib/time"
import { Pieces, Plain } from "../parts/Plain"
import { t } from "../words/words"
import { Hints } from "./Hints"
import { Raw } from "./Raw"
import type { Tool } from "./requests"
import { SchemaTable } from "./SchemaTable"
import { TryTool } from "./TryTool"

/** What was accepted of a tool: it is all text of the server, and shown as text. */
export function ToolDetail({ tool }: { tool: Tool }) {
  return (
    <>
      {tool.state === "unlisted" ? <p className="soft">{t("tool.unlisted")}</p> : (
        <>
          {tool.offered && <p className="small warn">{t("tool.pinnedShown")}</p>}
          {tool.title && <p className="wrap"><b><Plain text={tool.title} /></b></p>}
          {tool.description ? <p className="description" dir="auto" tabIndex={0}><Pieces text={tool.description} /></p> : <p className="soft">{t("tool.noDescription")}</p>}
          <Hints annotations={tool.annotations} />
          <h4>{t("tool.parameters")}</h4>
          <SchemaTable schema={tool.parameters} label={t("tool.parameters")} />
          <Raw title={t("tool.parametersRaw")} text={JSON.stringify(tool.parameters, null, 2)} />
          {tool.output_schema !== undefined && <Raw title={t("tool.outputRaw")} text={JSON.stringify(tool.output_schema, null, 2)} />}
          {tool.annotations !== undefined && <Raw title={t("tool.annotationsRaw")} text={JSON.stringify(tool.annotations, null, 2)} />}
        </>
      )}
      {tool.state === "ready" && <TryTool tool={tool} />}
      <dl className="kv">
        <dt>{t("tool.claudeName")}</dt><dd className="wrap"><code><Plain text={tool.claude_name} isCommand /></code></dd>
        {tool.digest && <><dt>{t("tool.digest")}</dt><dd className="wrap"><code>{tool.digest}</code></dd></>}
        <dt>{t("tool.first")}</dt><dd>{dateAndTime(tool.created_at)}</dd>
        {tool.accepted_by && <><dt>{t("tool.accepted")}</dt><dd className="wrap"><Plain text={tool.accepted_by} /> · {dateAndTime(tool.accepted_at)}</dd></>}
      </dl>
    </>
  )
}
