/** What the page reads of an OpenAPI 3.1 document. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Operation {
  summary?: string
  tags?: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> }
  responses: Record<string, unknown>
  "x-capability"?: string
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

/** One route of the interface, as the page shows it. */
export interface Route {
  method: string
  path: string
  summary: string
  tag: string
  needs: string | null
  isSocket: boolean
  parameters: Parameter[]
  /** The media type of the body, and an example of it; `null`: it takes none. */
  body: { type: string; example: string } | null
}

export function routes(document: Document): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      summary: operation.summary ?? "",
      tag: operation.tags?.[0] ?? "",
      needs: operation.security?.length ? (operation["x-capability"] ?? "") : null,
      isSocket: "101" in operation.responses,
      parameters: operation.parameters ?? [],
      body: body(operation, document),
    })),
  )
}

function body(operation: Operation, document: Document): Route["body"] {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (!type) return null
  const value = example(content?.schema, document)
  return { type, example: type === "application/json" ? JSON.stringify(value, null, 2) : "" }
}

const mostLevels = 6

/** A value that has the members which the schema requires. */
export function example(schema: Schema | undefined, document: Document, level = 0): unknown {
  if (!schema || level > mostLevels) return null
  const next = (inner: Schema | undefined) => example(inner, document, level + 1)
  if (schema.$ref) return next(document.components?.schemas?.[schema.$ref.split("/").pop() ?? ""])
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const parts = schema.allOf?.map(next)
  if (parts) return Object.assign({}, ...parts)
  const choice = (schema.anyOf ?? schema.oneOf)?.[0]
  if (choice) return next(choice)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object":
      return Object.fromEntries((schema.required ?? []).map((name) => [name, next(schema.properties?.[name])]))
    case "array": return schema.items ? [next(schema.items)] : []
    case "string": return ""
    case "integer": case "number": return 0
    case "boolean": return false
    default: return null
  }
}

/** The address of a request, relative to the server's root. Empty values of the query are left out. */
export function target(route: Route, values: Record<string, string>): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""))
  const query = route.parameters.filter((one) => one.in === "query" && values[one.name])
    .map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(values[one.name] ?? "")}`)
  return path.slice(1) + (query.length ? "?" + query.join("&") : "")
}
