/** A value that a tool takes, or a part of one. */
export interface Member {
  /** Where it stands: `filter.tags[]`. */
  path: string
  /** Zero: an argument itself. */
  depth: number
  /** The types of JSON Schema; empty: anything. */
  types: string[]
  /** Of the values of a list. */
  items: string[]
  isRequired: boolean
  description: string
  /** As JSON: the only values that it takes. */
  values: string[]
  /** As JSON. */
  initial?: string
  /** Bounds by the names of JSON Schema, such as `maxLength`. */
  limits: [string, unknown][]
}

export interface Members {
  members: Member[]
  /** Whether they are all that the schema says. */
  isWhole: boolean
}

type Schema = Record<string, unknown>

const mostMembers = 200
const mostDepth = 5
/** Further values are not read. */
export const mostValues = 200
/** Schemas that are looked at, so that no schema that refers to itself takes long. */
const mostSteps = 5_000
const limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
  "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"]
/** What the table does not show. */
const conditions = ["not", "if", "dependentSchemas", "dependentRequired", "dependencies", "patternProperties", "propertyNames", "contains", "prefixItems"]

export function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The members of a JSON Schema, row by row; of a schema from elsewhere, whatever it contains. */
export function membersOf(schema: unknown): Members {
  const reader = new Reader(isObject(schema) ? schema : {})
  return { members: reader.members, isWhole: reader.isWhole }
}

class Reader implements Members {
  members: Member[] = []
  isWhole = true
  private steps = 0

  constructor(private readonly root: Schema) {
    this.walk(this.resolved(root), "", 0)
  }

  private walk(schema: Schema, prefix: string, depth: number): void {
    if (hasConditions(schema)) this.isWhole = false
    const required = Array.isArray(schema.required) ? schema.required : []
    for (const [name, raw] of isObject(schema.properties) ? Object.entries(schema.properties) : []) {
      if (this.members.length >= mostMembers || depth >= mostDepth) {
        this.isWhole = false
        return
      }
      const member = this.resolved(raw)
      const items = isObject(member.items) ? this.resolved(member.items) : null
      this.members.push(row(prefix + name, depth, member, items, required.includes(name)))
      if (isObject(member.properties)) this.walk(member, `${prefix}${name}.`, depth + 1)
      else if (items && isObject(items.properties)) this.walk(items, `${prefix}${name}[].`, depth + 1)
      else if (hasConditions(member) || hasConditions(items ?? {})) this.isWhole = false
    }
  }

  /** A schema in the place of a reference to it; several become one, as far as a row can show them. */
  private resolved(schema: unknown, seen: readonly string[] = []): Schema {
    if (!isObject(schema)) return {}
    const reference = schema.$ref
    if (++this.steps > mostSteps || (typeof reference === "string" && seen.includes(reference))) {
      this.isWhole = false
      return {}
    }
    if (typeof reference === "string") {
      const { $ref: _, ...own } = schema
      return { ...this.resolved(pointed(this.root, reference), [...seen, reference]), ...own }
    }
    if (Array.isArray(schema.allOf)) {
      const { allOf, ...own } = schema
      return [...(allOf as unknown[]).map((one) => this.resolved(one, seen)), own].reduce(merged, {})
    }
    const variants = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined
    return variants ? this.united(schema, variants.map((one) => this.resolved(one, seen))) : schema
  }

  /** `string or null` is one variant and its type; of several others, only the types and values. */
  private united(schema: Schema, variants: Schema[]): Schema {
    const { anyOf: _, oneOf: __, ...own } = schema
    const others = variants.filter((one) => one.type !== "null")
    const type = [...new Set(variants.flatMap(typesOf))]
    if (others.length === 1) return { ...others[0], ...own, type }
    if (others.some((one) => isObject(one.properties) || isObject(one.items))) this.isWhole = false
    const values = others.map(valuesOf)
    return { ...own, type, ...(values.every((some) => some.length > 0) && { enum: values.flat() }) }
  }
}

function hasConditions(schema: Schema): boolean {
  return conditions.some((name) => name in schema)
}

function row(path: string, depth: number, member: Schema, items: Schema | null, isRequired: boolean): Member {
  return {
    path, depth, isRequired, types: typesOf(member), items: items ? typesOf(items) : [],
    description: [member.description, member.title].find((text): text is string => typeof text === "string") ?? "",
    values: valuesOf(member).slice(0, mostValues).map(json),
    ...(member.default !== undefined && { initial: json(member.default) }),
    limits: limits.filter((name) => member[name] !== undefined).map((name) => [name, member[name]]),
  }
}

const json = (value: unknown) => JSON.stringify(value) ?? ""

function valuesOf(schema: Schema): unknown[] {
  if (schema.const !== undefined) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : []
}

/** Those that are named, else what the other members tell. */
function typesOf(schema: Schema): string[] {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((one): one is string => typeof one === "string")
  if (named.length > 0) return named
  if (isObject(schema.properties)) return ["object"]
  if (schema.items !== undefined) return ["array"]
  return [...new Set(valuesOf(schema).map((value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value))]
}

function merged(one: Schema, other: Schema): Schema {
  const both = { ...one, ...other }
  if (isObject(one.properties) && isObject(other.properties)) both.properties = { ...one.properties, ...other.properties }
  if (Array.isArray(one.required) && Array.isArray(other.required)) both.required = [...one.required, ...other.required]
  return both
}

/** What `#/$defs/Name` names. */
function pointed(root: Schema, reference: string): unknown {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: unknown = root
  for (const name of reference.slice(2).split("/")) {
    const key = name.replace(/~1/g, "/").replace(/~0/g, "~")
    at = isObject(at) && Object.prototype.hasOwnProperty.call(at, key) ? at[key] : undefined
  }
  return at
}
