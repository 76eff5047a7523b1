import { useId } from "react"
import type { FormField as Field } from "../api/types"
import { Plain } from "../parts/Plain"

export type FieldValue = string | boolean

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
  return (
    <div className="field">
      <label htmlFor={id}><b><Plain text={title} /></b></label>
      <Hint id={hint} text={field.description} />
      {field.enum ? (
        <select {...common} value={String(value)} onChange={(event) => onChange(event.target.value)}>
          <option value="" />
          {field.enum.map((one, index) => (
            <option key={index} value={String(one)}>{field.enumNames?.[index] ?? String(one)}</option>
          ))}
        </select>
      ) : (
        <input {...common} type={inputType(field)} value={String(value)} dir="auto" min={field.minimum}
          max={field.maximum} minLength={field.minLength} maxLength={field.maxLength}
          step={field.type === "integer" ? 1 : "any"} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  )
}

function Hint({ id, text }: { id: string | undefined; text: string | undefined }) {
  return text ? <span id={id} className="small soft under"><Plain text={text} /></span> : null
}

function inputType(field: Field): string {
  if (field.type === "number" || field.type === "integer") return "number"
  if (field.format === "email") return "email"
  if (field.format === "uri") return "url"
  return field.format === "date" ? "date" : "text"
}
