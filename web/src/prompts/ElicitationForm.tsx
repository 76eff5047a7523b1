import type { Prompt } from "../api/types"
import { useKeptState } from "../lib/keptState"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { contentOf, initialValue, isComplete, type FieldValue } from "./form"
import { Foot, type FormPlace } from "./Foot"
import { FormField } from "./FormField"
import type { Answering } from "./useAnswer"

interface Props extends FormPlace {
  prompt: Prompt
  answering: Answering
  canAnswer: boolean
}

/** What an MCP server asks for: a form made from its schema, or an address to open. */
export function ElicitationForm(props: Props) {
  return props.prompt.url === undefined ? <SchemaForm {...props} /> : <AddressForm {...props} url={props.prompt.url} />
}

/** Its fields can be read also where they cannot be sent. */
function SchemaForm({ prompt, answering, canAnswer, top, bottom }: Props) {
  const schema = prompt.schema ?? {}
  const fields = Object.entries(schema.properties ?? {})
  const [values, setValues] = useKeptState<Record<string, FieldValue>>("form " + prompt.id, () =>
    Object.fromEntries(fields.map(([name, field]) => [name, initialValue(field)])))
  const submit = (event: Event) => {
    event.preventDefault()
    answering.answer({ action: "accept", content: contentOf(schema, values) })
  }
  return (
    <form onSubmit={submit}>
      <div className="body">
        {top}
        <p className="wrap"><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></p>
        {fields.length > 0 && (
          <fieldset disabled={!canAnswer} aria-label={t("form")}>
            {fields.map(([name, field]) => (
              <FormField key={name} name={name} field={field} value={values[name] ?? initialValue(field)}
                isRequired={schema.required?.includes(name) ?? false}
                onChange={(value) => setValues((all) => ({ ...all, [name]: value }))} />
            ))}
          </fieldset>
        )}
        {bottom}
      </div>
      {canAnswer && (
        <Foot prompt={prompt}>
          <button type="submit" className="yes" disabled={answering.isSending || !isComplete(schema, values)}>{t("form.submit")}</button>
          <Decline answering={answering} />
        </Foot>
      )}
    </form>
  )
}

/** The whole address as text, so that a person sees where it leads; it opens by a tap alone, and learns nothing of this page. */
function AddressForm({ prompt, url, answering, canAnswer, top, bottom }: Props & { url: string }) {
  const canOpen = /^https?:\/\//i.test(url)
  return (
    <div>
      <div className="body">
        {top}
        <p className="wrap"><Plain text={prompt.question ?? prompt.detail ?? prompt.title ?? ""} /></p>
        <pre className="cmd"><Plain text={url} isCommand /></pre>
        <p className="small soft">{t(canOpen ? "address.hint" : "address.other")}</p>
        {canOpen && <p><a href={url} target="_blank" rel="noopener noreferrer">{t("address.open", { host: hostOf(url) })}</a></p>}
        {bottom}
      </div>
      {canAnswer && (
        <Foot prompt={prompt}>
          <button type="button" className="yes" disabled={answering.isSending} onClick={() => answering.answer({ action: "accept" })}>
            {t("address.done")}
          </button>
          <Decline answering={answering} />
        </Foot>
      )}
    </div>
  )
}

/** As the browser reads it: letters that look alike are punycode here. */
function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return ""
  }
}

function Decline({ answering }: { answering: Answering }) {
  return (
    <button type="button" disabled={answering.isSending} onClick={() => answering.answer({ action: "decline" })}>{t("form.decline")}</button>
  )
}
