import type { ToolWord } from "../words/words"
import { membersOf, mostValues, type Member } from "./schema"

/** How a person gives an argument: `list` has one text a line, `json` is JSON as text. */
export type FieldKind = "text" | "number" | "choice" | "list" | "json"

export interface Field {
  member: Member
  kind: FieldKind
  /** What stands there at first. */
  initial: string
}

/** Why an argument cannot be sent as it stands. */
export interface Problem {
  word: ToolWord
  values?: Record<string, string | number>
}

/** The form for a tool's arguments, a field each. What is nested is given as JSON. */
export function fieldsOf(schema: unknown): Field[] {
  return membersOf(schema).members.filter((one) => one.depth === 0).map((member) => {
    const kind = kindOf(member)
    return { member, kind, initial: initialOf(member, kind) }
  })
}

function kindOf({ types, items, values, initial }: Member): FieldKind {
  if (values.length > 0 && values.length < mostValues) return "choice"
  const own = types.filter((type) => type !== "null")
  if (own.length !== 1) return "json"
  if (own[0] === "boolean") return "choice"
  if (own[0] === "number" || own[0] === "integer") return "number"
  if (own[0] === "string") return "text"
  // A text of several lines is no line of a list.
  const isOfLines = own[0] === "array" && items.length === 1 && items[0] === "string" && !initial?.includes("\\n")
  return isOfLines ? "list" : "json"
}

/** What may be chosen, as JSON. */
export function choicesOf({ values }: Member): string[] {
  return values.length > 0 ? values : ["true", "false"]
}

function initialOf(member: Member, kind: FieldKind): string {
  if (member.initial === undefined) return kind === "choice" && member.isRequired && choicesOf(member).length === 1 ? choicesOf(member)[0] ?? "" : ""
  const value = JSON.parse(member.initial) as unknown
  if (kind === "choice") return choicesOf(member).includes(member.initial) ? member.initial : ""
  if (kind === "json") return JSON.stringify(value, null, 2)
  if (kind === "number") return typeof value === "number" ? String(value) : ""
  if (kind === "text") return typeof value === "string" ? value : ""
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join("\n") : ""
}

export interface Given {
  arguments: Record<string, unknown>
  /** By the name of the argument. */
  problems: ReadonlyMap<string, Problem>
}

/** The arguments that a person has given. A field that is empty and not required is left out. */
export function argumentsOf(fields: readonly Field[], texts: ReadonlyMap<string, string>): Given {
  const problems = new Map<string, Problem>()
  const given: [string, unknown][] = []
  for (const { member, kind, initial } of fields) {
    const name = member.path
    const text = texts.get(name) ?? initial
    const isEmpty = kind === "text" ? text === "" : text.trim() === ""
    if (isEmpty) {
      if (member.isRequired) problems.set(name, { word: "try.needed" })
      continue
    }
    const read = valueOf(member, kind, text)
    if ("word" in read) problems.set(name, read)
    else given.push([name, read.value])
  }
  return { arguments: Object.fromEntries(given), problems }
}

function valueOf(member: Member, kind: FieldKind, text: string): { value: unknown } | Problem {
  if (kind === "choice") return choicesOf(member).includes(text) ? { value: JSON.parse(text) as unknown } : { word: "try.needed" }
  if (kind === "text") return lengthProblem(member, "minLength", "maxLength", [...text].length, "try.length") ?? { value: text }
  if (kind === "number") return numberOf(member, text)
  if (kind === "list") {
    const lines = text.split(/\r?\n/).filter((line) => line !== "")
    return lengthProblem(member, "minItems", "maxItems", lines.length, "try.items") ?? { value: lines }
  }
  try {
    const value = JSON.parse(text) as unknown
    if (!isExact(text)) return { word: "try.inexact" }
    return isOfTypes(member.types, value) ? { value } : { word: "try.otherType" }
  } catch {
    return { word: "try.noJSON" }
  }
}

/** Whether a JSON text has no number that changes when it is read: a whole one beyond what a double holds, or one too large. */
function isExact(json: string): boolean {
  const tokens = json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)
  return [...tokens].every(([token = ""]) => token.startsWith('"') || isKept(Number(token)))
}

function isKept(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

function numberOf(member: Member, text: string): { value: number } | Problem {
  // `Number` also reads other notations, and changes whole numbers that a double does not hold.
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text.trim()) : NaN
  if (!Number.isFinite(value)) return { word: "try.noNumber" }
  if (!isKept(value)) return { word: "try.inexact" }
  if (member.types.includes("integer") && !Number.isInteger(value)) return { word: "try.noInteger" }
  const [least, most] = [limitOf(member, "minimum"), limitOf(member, "maximum")]
  const [above, below] = [limitOf(member, "exclusiveMinimum"), limitOf(member, "exclusiveMaximum")]
  if (least !== undefined && value < least) return { word: "try.least", values: { n: least } }
  if (above !== undefined && value <= above) return { word: "try.above", values: { n: above } }
  if (most !== undefined && value > most) return { word: "try.most", values: { n: most } }
  if (below !== undefined && value >= below) return { word: "try.below", values: { n: below } }
  return { value }
}

function limitOf(member: Member, name: string): number | undefined {
  const value = member.limits.find(([limit]) => limit === name)?.[1]
  return typeof value === "number" ? value : undefined
}

function lengthProblem(member: Member, least: string, most: string, length: number, word: "try.length" | "try.items"): Problem | undefined {
  const [from, to] = [limitOf(member, least) ?? 0, limitOf(member, most) ?? Infinity]
  if (length >= from && length <= to) return undefined
  return { word, values: { n: length, from, to: to === Infinity ? "∞" : to } }
}

function isOfTypes(types: readonly string[], value: unknown): boolean {
  if (types.length === 0) return true
  return types.some((type) => {
    if (type === "null") return value === null
    if (type === "array") return Array.isArray(value)
    if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value)
    if (type === "integer") return Number.isInteger(value)
    return typeof value === type
  })
}
