import { took } from "../lib/time"
import { Mark } from "../parts/Mark"
import { Output } from "../parts/Output"
import { Plain } from "../parts/Plain"
import { t, textFor } from "../words/words"
import type { ToolCall } from "./toolCalls"
import { Raw } from "./Raw"
import { shownJSON } from "./results"
import { isObject } from "./schema"

const mostParts = 100

/** What a tool has answered: text of others. */
export function CallResult({ call }: { call: ToolCall }) {
  if (call.error || (call.status !== undefined && call.status !== "completed")) {
    const fault = textFor("tools.fault." + (call.error?.code ?? ""), { machine: call.machine_id ?? "" })
    const words = fault ?? call.error?.message ?? textFor("try.status." + (call.status ?? "")) ?? ""
    return <p className="fault wrap"><Plain text={words} /></p>
  }
  const parts = [call.duration_ms === undefined ? "" : took(call.duration_ms), call.approved_by ? t("try.approved", { who: call.approved_by }) : ""]
  return (
    <>
      <p className="row wrap"><Mark kind={call.is_error ? "bad" : "done"} /><b>{t(call.is_error ? "try.failed" : "try.done")}</b>
        <span className="soft small"><Plain text={parts.filter(Boolean).join(" · ")} /></span></p>
      {call.content === undefined && <p className="small soft">{t("try.noContent")}</p>}
      {(call.content ?? []).slice(0, mostParts).map((one, index) => isObject(one) && typeof one.text === "string"
        ? <Output key={index} text={one.text} isError={call.is_error} isWhole />
        : <Raw key={index} title={t("try.part")} text={() => shownJSON(one)} />)}
      {(call.content ?? []).length > mostParts && <p className="small soft">{t("try.moreParts", { n: (call.content ?? []).length - mostParts })}</p>}
      {call.structured_content !== undefined && <Raw title={t("try.structured")} text={() => shownJSON(call.structured_content)} />}
    </>
  )
}
