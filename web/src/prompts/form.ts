import type { FormField, FormSchema } from "../api/types"

/** What a person has put into a field so far. */
export type FieldValue = string | boolean | string[]

interface Choice {
  value: unknown
  label: string
}

/** The values of which a field takes one; `null`: it takes any. */
export function choicesOf(field: FormField): Choice[] | null {
  if (field.enum) return field.enum.map((value, index) => ({ value, label: field.enumNames?.[index] ?? String(value) }))
  const titled = (field.oneOf ?? field.anyOf ?? []).filter((one) => "const" in one)
  return titled.length === 0 ? null : titled.map((one) => ({ value: one.const, label: one.title ?? String(one.const) }))
}

/** What the field shows at first. A default that it cannot show is none: nothing is sent that a person does not see. */
export function initialValue(field: FormField): FieldValue {
  if (field.type === "boolean") return field.default === true
  if (field.type === "array" && choicesOf(field.items ?? {})) {
    const offered = (choicesOf(field.items ?? {}) ?? []).map((one) => String(one.value))
    return Array.isArray(field.default) ? field.default.map(String).filter((one) => offered.includes(one)) : []
  }
  if (field.default === undefined || field.default === null) return ""
  const choices = choicesOf(field)
  const text = String(field.default)
  if (choices) return choices.some((one) => String(one.value) === text) ? text : ""
  return shown(field, text)
}

/** A default in the form that the browser's field takes; empty if it takes none such. */
function shown(field: FormField, text: string): string {
  if (field.type === "number" || field.type === "integer") return text.trim() !== "" && Number.isFinite(Number(text)) ? text : ""
  if (field.format === "date") return /^\d{4}-\d\d-\d\d$/.test(text) ? text : ""
  if (field.format !== "date-time") return /[\r\n]/.test(text) ? "" : text
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return ""
  const local = new Date(time.getTime() - 60_000 * time.getTimezoneOffset())
  return local.toISOString().slice(0, 19)
}

/** The answer to a form; a field that is empty and not required is left out. */
export function contentOf(schema: FormSchema, values: Record<string, FieldValue>): Record<string, unknown> {
  const required = new Set(schema.required ?? [])
  const content: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = typed(field, values[name] ?? "")
    if (value !== undefined) content[name] = value
    else if (required.has(name) && field.type === "array") content[name] = []
  }
  return content
}

function typed(field: FormField, value: FieldValue): unknown {
  if (Array.isArray(value)) {
    const chosen = (choicesOf(field.items ?? {}) ?? []).map((one) => one.value).filter((one) => value.includes(String(one)))
    return chosen.length > 0 ? chosen : undefined
  }
  if (typeof value === "boolean") return value
  if (value === "") return undefined
  if (field.type === "number" || field.type === "integer") return Number(value)
  // The browser's field has the person's time without its zone.
  if (field.format === "date-time" && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString()
  const choice = choicesOf(field)?.find((one) => String(one.value) === value)
  return choice ? choice.value : value
}

/** Whether lists have as many values as they must. */
export function isComplete(schema: FormSchema, values: Record<string, FieldValue>): boolean {
  return Object.entries(schema.properties ?? {}).every(([name, field]) => {
    const value = values[name]
    if (!Array.isArray(value)) return true
    const isLeftOut = value.length === 0 && !schema.required?.includes(name)
    return isLeftOut || (value.length >= (field.minItems ?? 0) && value.length <= (field.maxItems ?? Infinity))
  })
}
