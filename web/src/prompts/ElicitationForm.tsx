import { useState } from "react"
import type { FormField as Field, Prompt } from "../api/types"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { FormField, type FieldValue } from "./FormField"
import type { Answering } from "./useAnswer"

/** What an MCP server asks for, as a form made from its schema. */
export function ElicitationForm({ prompt, answering }: { prompt: Prompt; answering: Answering }) {
  const fields = Object.entries(prompt.schema?.properties ?? {})
  const required = new Set(prompt.schema?.required ?? [])
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    Object.fromEntries(fields.map(([name, field]) => [name, initial(field)])))
  const submit = (event: Event) => {
    event.preventDefault()
    const content: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const value = typed(field, values[name] ?? "")
      if (value !== undefined || required.has(name)) content[name] = value
    }
    answering.answer({ action: "accept", content })
  }
  return (
    <form onSubmit={submit} className="stack">
      <p><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></p>
      {fields.map(([name, field]) => (
        <FormField key={name} name={name} field={field} value={values[name] ?? initial(field)}
          isRequired={required.has(name)} onChange={(value) => setValues((all) => ({ ...all, [name]: value }))} />
      ))}
      <div className="acts">
        <button type="submit" className="yes" disabled={answering.isSending}>{t("form.submit")}</button>
        <button type="button" disabled={answering.isSending} onClick={() => answering.answer({ action: "decline" })}>
          {t("form.decline")}
        </button>
      </div>
    </form>
  )
}

function initial(field: Field): FieldValue {
  if (field.type === "boolean") return field.default === true
  return field.default === undefined || field.default === null ? "" : String(field.default)
}

function typed(field: Field, value: FieldValue): unknown {
  if (typeof value === "boolean") return value
  if (value === "") return undefined
  if (field.type === "number" || field.type === "integer") return Number(value)
  return field.enum?.find((one) => String(one) === value) ?? value
}
