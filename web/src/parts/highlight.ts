import { useEffect, useMemo, useState } from "react"

/** The kind of a piece of code: comment, function, keyword, number, string, type, name. Empty: nothing of these. */
export type Tone = "" | "c" | "f" | "k" | "n" | "s" | "t" | "v"
export type ToneOf = (code: string, language: string) => [string, Tone][]

/** Longer code stays plain: a person does not read it here, and colours would cost more than they give. */
const longest = 30_000
const kept = 60

const names: Record<string, string> = {
  sh: "bash", shell: "bash", zsh: "bash", console: "bash", c: "cpp", h: "cpp", cc: "cpp", "c++": "cpp", hpp: "cpp", cs: "csharp", scss: "css",
  patch: "diff", toml: "ini", conf: "ini", js: "javascript", jsx: "javascript", mjs: "javascript", cjs: "javascript", jsonc: "json", jsonl: "json",
  kt: "kotlin", kts: "kotlin", mk: "makefile", md: "markdown", py: "python", rb: "ruby", rs: "rust", ts: "typescript", tsx: "typescript",
  html: "xml", svg: "xml", vue: "xml", plist: "xml", yml: "yaml", golang: "go",
}
const known = new Set([...Object.values(names), "java", "php", "sql", "swift", "go", "css", "json", "dockerfile", "ini", "diff"])

/** The language of a fence's name or of a file's ending; `undefined`: it is not highlighted. */
export function languageOf(name: string): string | undefined {
  const word = name.toLowerCase()
  const language = Object.prototype.hasOwnProperty.call(names, word) ? names[word] : word
  return language !== undefined && known.has(language) ? language : undefined
}

export function languageOfFile(path: string): string | undefined {
  const name = path.split(/[\\/]/).pop() ?? ""
  if (/^(Dockerfile|Makefile)$/.test(name)) return name.toLowerCase()
  return name.includes(".") ? languageOf(name.split(".").pop() ?? "") : undefined
}

let loaded: ToneOf | null = null
let loading: Promise<void> | null = null
const done = new Map<string, [string, Tone][][]>()

/** The lines of a code, each in pieces with their tones; `null` as long as it is shown plainly. */
export function useTones(code: string, language: string | undefined): [string, Tone][][] | null {
  const [isLoaded, setLoaded] = useState(loaded !== null)
  const isWanted = language !== undefined && code.length <= longest
  useEffect(() => {
    if (!isWanted || isLoaded) return
    let isCurrent = true
    loading ??= import("./highlighter").then((module) => {
      loaded = module.toneOf
    })
    loading.then(() => isCurrent && setLoaded(true), () => {
      loading = null
    })
    return () => {
      isCurrent = false
    }
  }, [isWanted, isLoaded])
  return useMemo(() => isWanted && isLoaded && loaded ? linesOf(code, language, loaded) : null, [code, language, isWanted, isLoaded])
}

function linesOf(code: string, language: string, toneOf: ToneOf): [string, Tone][][] {
  const key = language + " " + code
  const known = done.get(key)
  if (known) return known
  const lines: [string, Tone][][] = [[]]
  for (const [text, tone] of toneOf(code, language)) {
    text.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part) lines[lines.length - 1]!.push([part, tone])
    })
  }
  if (done.size >= kept) done.delete(done.keys().next().value as string)
  done.set(key, lines)
  return lines
}
