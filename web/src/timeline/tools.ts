import { changeLines } from "../prompts/body"
import { countChanges, patchLines, type DiffLine } from "../lib/diff"
import { compact, timeOfDay } from "../lib/time"
import { t } from "../words/words"
import { endOf } from "../prompts/outcome"
import { record, string, type ToolItem, type Verdict } from "./model"

/** The first thing to know about a call: its command, file, pattern or address. */
export function toolHead(item: ToolItem): { code?: string; words?: string } {
  const input = item.input
  const code = string(input.command) ?? string(input.file_path) ?? string(input.notebook_path) ?? string(input.pattern)
    ?? string(input.url) ?? string(input.query) ?? string(input.path)
  if (code !== undefined) return { code }
  return { words: string(input.description) ?? string(input.subject) ?? string(input.prompt) ?? item.summary }
}

export function toolDiff(item: ToolItem): DiffLine[] | null {
  if (!/^(Edit|MultiEdit|Write|NotebookEdit)$/.test(item.name)) return null
  const lines = patchLines(record(item.result).structuredPatch) ?? changeLines(item.input)
  return lines.length > 0 ? lines : null
}

export function toolOutput(item: ToolItem): string {
  if (item.error && item.error !== item.verdict?.answer?.said) return item.error.replace(/^(Error: )?Exit code \d+\n/, "")
  const result = item.result
  if (typeof result === "string") return result
  if (Array.isArray(result)) return blocks(result)
  const fields = record(result)
  const printed = [string(fields.stdout), string(fields.stderr)].filter(Boolean).join("\n")
  if (printed) return printed
  if (/^(Edit|MultiEdit|Write|NotebookEdit)$/.test(item.name)) return ""
  const text = string(fields.content) ?? (Array.isArray(fields.content) ? blocks(fields.content) : undefined)
    ?? string(record(fields.file).content) ?? string(fields.result) ?? string(fields.output)
  if (text) return text
  if (Array.isArray(fields.filenames)) return fields.filenames.map(String).join("\n")
  return ""
}

function blocks(list: unknown[]): string {
  return list.map((block) => string(record(block).text) ?? "").filter(Boolean).join("\n")
}

const pictureTypes = /^image\/(png|jpeg|gif|webp)$/

export interface ToolPicture {
  type: string
  /** Absent where the stored result does not hold the picture. */
  url?: string
  bytes?: number
  /** `640 × 480` */
  size?: string
}

/** Pictures that a tool returned, as data URLs of kinds that cannot run anything. */
export function toolPictures(item: ToolItem): ToolPicture[] {
  const result = record(item.result)
  const list = Array.isArray(item.result) ? item.result : Array.isArray(result.content) ? (result.content as unknown[]) : []
  const found = list.filter((block) => record(block).type === "image").map((block) => {
    const source = record(record(block).source)
    return picture(string(source.media_type) ?? string(record(block).mimeType), string(source.data) ?? string(record(block).data))
  })
  if (result.type !== "image") return found
  const file = record(result.file)
  const { originalWidth: width, originalHeight: height } = record(file.dimensions)
  return [...found, {
    ...picture(string(file.type), string(file.base64)),
    ...(typeof file.originalSize === "number" ? { bytes: file.originalSize } : {}),
    ...(typeof width === "number" && typeof height === "number" ? { size: `${width} × ${height}` } : {}),
  }]
}

function picture(type = "image", data = ""): ToolPicture {
  // Base64 of a whole picture; what is cut has another length or other characters.
  const isWhole = pictureTypes.test(type) && data.length % 4 === 0 && /^[A-Za-z0-9+/]{8,}={0,2}$/.test(data)
  if (!isWhole) return { type }
  return { type, url: `data:${type};base64,${data}`, bytes: (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0) }
}

/** What came of the call, in a few words. */
export function toolOutcome(item: ToolItem): { text: string; tone: "plus" | "minus" | "faint" | "warn" } | null {
  if (item.state === "running") return { text: t("tool.running"), tone: "faint" }
  if (item.state === "waiting") return { text: t("tool.waits"), tone: "warn" }
  if (item.state === "denied") return { text: item.verdict ? verdictText(item.verdict) : t("tool.denied"), tone: "minus" }
  if (item.state === "unknown") return { text: t("tool.unknown"), tone: "faint" }
  if (item.isInterrupted) return { text: t("tool.interrupted"), tone: "minus" }
  const code = exitCode(item)
  if (code !== null) return code === 0 ? null : { text: t("tool.exit", { n: code }), tone: "minus" }
  if (item.state === "failed") return { text: t("tool.failed"), tone: "minus" }
  const result = record(item.result)
  const lines = record(result.file).numLines ?? result.numLines
  if (typeof lines === "number") return { text: t("tool.lines", { n: lines }), tone: "faint" }
  if (typeof result.numFiles === "number") return { text: t("tool.files", { n: result.numFiles }), tone: "faint" }
  if (typeof result.totalToolUseCount === "number") {
    const tokens = typeof result.totalTokens === "number" ? " · " + t("tool.tokens", { n: compact(result.totalTokens) }) : ""
    return { text: t("tool.calls", { n: result.totalToolUseCount }) + tokens, tone: "faint" }
  }
  return null
}

/** `Denied by you (Chrome on Linux), 14:12: “Use the helper”`; with the words of the person. */
export function verdictText({ kind, state, answer }: Verdict): string {
  const at = answer?.at ? ", " + timeOfDay(answer.at) : ""
  return endOf(kind, state, answer, null) + at + (answer?.said ? `: “${answer.said}”` : "")
}

export function exitCode(item: ToolItem): number | null {
  if (item.name !== "Bash") return null
  const found = /^(?:Error: )?Exit code (\d+)/.exec(item.error ?? "")
  if (found) return Number(found[1])
  const code = record(item.result).exit_code ?? record(item.result).exitCode
  return typeof code === "number" ? code : null
}

interface Counts {
  added: number
  removed: number
}

const counted = new WeakMap<ToolItem, Counts | null>()

/** Counted once for each item, which is another object when it changes. */
export function changeCounts(item: ToolItem): Counts | null {
  const known = counted.get(item)
  if (known !== undefined) return known
  const lines = toolDiff(item)
  const counts = lines ? countChanges(lines) : null
  counted.set(item, counts)
  return counts
}
