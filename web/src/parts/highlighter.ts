import hljs from "highlight.js/lib/highlight"
import bash from "highlight.js/lib/languages/bash"
import cpp from "highlight.js/lib/languages/cpp"
import csharp from "highlight.js/lib/languages/cs"
import css from "highlight.js/lib/languages/css"
import diff from "highlight.js/lib/languages/diff"
import dockerfile from "highlight.js/lib/languages/dockerfile"
import go from "highlight.js/lib/languages/go"
import ini from "highlight.js/lib/languages/ini"
import java from "highlight.js/lib/languages/java"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import kotlin from "highlight.js/lib/languages/kotlin"
import makefile from "highlight.js/lib/languages/makefile"
import markdown from "highlight.js/lib/languages/markdown"
import php from "highlight.js/lib/languages/php"
import python from "highlight.js/lib/languages/python"
import ruby from "highlight.js/lib/languages/ruby"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import swift from "highlight.js/lib/languages/swift"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"
import type { Tone, ToneOf } from "./highlight"

// This file is loaded by itself, when there is code to highlight.

export const languages = {
  bash, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, makefile, markdown, php, python, ruby, rust, sql,
  swift, typescript, xml, yaml,
}
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)
// The pattern of a function's name and types takes exponential time for some texts.
hljs.registerLanguage("cpp", (library) => {
  const language = cpp(library)
  return { ...language, contains: language.contains?.filter((mode) => mode.className !== "function") }
})

const tones: Record<string, Tone> = {
  keyword: "k", "selector-tag": "k", built_in: "t", type: "t", class: "t", title: "f", function: "f", section: "f", name: "k", attr: "v",
  attribute: "v", variable: "v", params: "", subst: "", string: "s", regexp: "s", symbol: "s", bullet: "s", link: "s", addition: "s",
  number: "n", literal: "n", comment: "c", quote: "c", doctag: "c", meta: "c", deletion: "n", tag: "", "template-variable": "v",
}
const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&#39;": "'" }
const mark = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27|#39);/g

/** The code in pieces, which are text: the library's markup is read here and never becomes part of the page. */
export const toneOf: ToneOf = (code, language) => {
  const pieces: [string, Tone][] = []
  const inside: Tone[] = []
  const add = (text: string) => {
    if (text === "") return
    const tone = inside[inside.length - 1] ?? ""
    const last = pieces[pieces.length - 1]
    if (last && last[1] === tone) last[0] += text
    else pieces.push([text, tone])
  }
  const marked = hljs.highlight(language, code, true).value
  let end = 0
  for (const found of marked.matchAll(mark)) {
    const at = found.index ?? 0
    add(marked.slice(end, at))
    const [whole = "", names] = found
    if (names !== undefined) inside.push(tones[names.replace(/^hljs-/, "")] || (inside[inside.length - 1] ?? ""))
    else if (whole === "</span>") inside.pop()
    else add(entities[whole] ?? whole)
    end = at + whole.length
  }
  add(marked.slice(end))
  return pieces
}
