import { useState } from "react"
import type { Prompt } from "../api/types"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { contentOf, initialValue, isComplete, type FieldValue } from "./form"
import { FormField } from "./FormField"
import type { Answering } from "./useAnswer"

/** What an MCP server asks for, as a form made from its schema. */
export function ElicitationForm({ prompt, answering }: { prompt: Prompt; answering: Answering }) {
  const schema = prompt.schema ?? {}
  const fields = Object.entries(schema.properties ?? {})
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    Object.fromEntries(fields.map(([name, field]) => [name, initialValue(field)])))
  const submit = (event: Event) => {
    event.preventDefault()
    answering.answer({ action: "accept", content: contentOf(schema, values) })
  }
  return (
    <form onSubmit={submit} className="stack">
      <p><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></p>
      {fields.map(([name, field]) => (
        <FormField key={name} name={name} field={field} value={values[name] ?? initialValue(field)}
          isRequired={schema.required?.includes(name) ?? false}
          onChange={(value) => setValues((all) => ({ ...all, [name]: value }))} />
      ))}
      <div className="acts">
        <button type="submit" className="yes" disabled={answering.isSending || !isComplete(schema, values)}>{t("form.submit")}</button>
        <button type="button" disabled={answering.isSending} onClick={() => answering.answer({ action: "decline" })}>
          {t("form.decline")}
        </button>
      </div>
    </form>
  )
}
