import { useId } from "react"
import type { FormField as Field } from "../api/types"
import { visibleText } from "../lib/visible"
import { Plain } from "../parts/Plain"
import { choicesOf, type FieldValue } from "./form"

interface Props {
  name: string
  field: Field
  value: FieldValue
  isRequired: boolean
  onChange: (value: FieldValue) => void
}

/** One member of an elicitation's schema, named by its title. */
export function FormField({ name, field, value, isRequired, onChange }: Props) {
  const id = useId()
  const title = field.title || name
  const hint = field.description ? `${id}-hint` : undefined
  const common = { id, "aria-describedby": hint, required: isRequired }
  if (field.type === "boolean") {
    return (
      <label className="opt" htmlFor={id}>
        <input id={id} type="checkbox" aria-describedby={hint} checked={value === true}
          onChange={(event) => onChange(event.target.checked)} aria-label={title} />
        <span><b><Plain text={title} /></b><Hint id={hint} text={field.description} /></span>
      </label>
    )
  }
  if (Array.isArray(value)) return <Several title={title} field={field} values={value} onChange={onChange} />
  const choices = choicesOf(field)
  return (
    <div className="field">
      <label htmlFor={id}><b><Plain text={title} /></b></label>
      <Hint id={hint} text={field.description} />
      {choices ? (
        <select {...common} value={String(value)} onChange={(event) => onChange(event.target.value)}>
          <option value="" />
          {choices.map((one, index) => <option key={index} value={String(one.value)}>{visibleText(one.label)}</option>)}
        </select>
      ) : (
        <input {...common} type={inputType(field)} value={String(value)} dir="auto" min={field.minimum}
          max={field.maximum} minLength={field.minLength} maxLength={field.maxLength}
          step={field.type === "integer" ? 1 : "any"} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  )
}

interface SeveralProps {
  title: string
  field: Field
  values: string[]
  onChange: (value: string[]) => void
}

/** Of which several may be chosen. */
function Several({ title, field, values, onChange }: SeveralProps) {
  const id = useId()
  const toggle = (value: string) => {
    onChange(values.includes(value) ? values.filter((one) => one !== value) : [...values, value])
  }
  return (
    <fieldset aria-describedby={field.description ? id : undefined}>
      <legend><b><Plain text={title} /></b><Hint id={id} text={field.description} /></legend>
      {(choicesOf(field.items ?? {}) ?? []).map((one, index) => (
        <label key={index} className="opt">
          <input type="checkbox" aria-label={one.label} checked={values.includes(String(one.value))}
            onChange={() => toggle(String(one.value))} />
          <b><Plain text={one.label} /></b>
        </label>
      ))}
    </fieldset>
  )
}

function Hint({ id, text }: { id: string | undefined; text: string | undefined }) {
  return text ? <span id={id} className="small soft under"><Plain text={text} /></span> : null
}

function inputType(field: Field): string {
  if (field.type === "number" || field.type === "integer") return "number"
  if (field.format === "email") return "email"
  if (field.format === "uri") return "url"
  if (field.format === "date-time") return "datetime-local"
  return field.format === "date" ? "date" : "text"
}
