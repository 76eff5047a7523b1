import { routes, target, type Document, type Parameter, type Route } from "./swagger/document"
import { swaggerWords as german } from "./words/swagger.de"
import { swaggerWords as english } from "./words/swagger.en"
import { addWords, language, loadWords, t } from "./words/words"

/** The page is one level below the root of the server, as the browser sees it. */
const root = new URL("../", location.href)
const mostShown = 256 * 1024

type Attributes = Record<string, string | boolean>

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Attributes = {}, ...inner: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(key, value === true ? "" : value)
  }
  made.append(...inner)
  return made
}

async function main(): Promise<void> {
  await loadWords()
  addWords(language() === "de" ? german : english)
  document.title = t("swagger.title")
  const page = document.querySelector("main") as HTMLElement
  const credential = element("input", { type: "password", autocomplete: "off", spellcheck: "false" })
  const search = element("input", { type: "search", autocomplete: "off" })
  const list = element("div", { class: "stack" })
  page.replaceChildren(
    element("h1", {}, t("swagger.title")),
    element("p", { class: "soft" }, t("swagger.what")),
    element("label", { class: "field" }, element("b", {}, t("swagger.credential")), credential,
      element("span", { class: "small soft" }, t("swagger.credentialMean"))),
    element("label", { class: "field" }, element("b", {}, t("swagger.find")), search),
    list,
  )
  try {
    const answer = await fetch(new URL("openapi.json", root))
    show(routes((await answer.json()) as Document), list, search, () => credential.value.trim())
  } catch (fault) {
    list.append(element("p", { class: "fault", role: "alert" }, t("swagger.unread", { why: String(fault) })))
  }
}

function show(all: Route[], list: HTMLElement, search: HTMLInputElement, credential: () => string): void {
  const none = element("p", { class: "soft", hidden: true }, t("swagger.none"))
  const sections = [...new Set(all.map((route) => route.tag))].map((tag) => {
    const rows = all.filter((route) => route.tag === tag).map((route) => ({ route, row: row(route, credential) }))
    return { section: element("section", { class: "stack" }, element("h2", {}, tag), ...rows.map((one) => one.row)), rows }
  })
  list.append(...sections.map((one) => one.section), none)
  const narrow = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    let found = 0
    for (const { section, rows } of sections) {
      let here = 0
      for (const { route, row } of rows) {
        const text = `${route.method} ${route.path} ${route.summary}`.toLowerCase()
        row.hidden = !words.every((word) => text.includes(word))
        if (!row.hidden) here += 1
      }
      section.hidden = here === 0
      found += here
    }
    none.hidden = found > 0
  }
  search.addEventListener("input", narrow)
  // The person may have typed before the routes were loaded.
  narrow()
}

/** A route. Its form is made when it is opened. */
function row(route: Route, credential: () => string): HTMLDetailsElement {
  const needs = route.needs === null ? t("swagger.open") : t("swagger.needs", { what: route.needs || t("swagger.credential") })
  const made = element("details", { class: "figure" }, element("summary", {},
    element("code", {}, element("b", {}, route.method), " ", route.path), " ",
    element("span", { class: "small soft" }, route.summary)))
  made.addEventListener("toggle", () => {
    if (made.childElementCount > 1) return
    made.append(element("p", { class: "small soft" }, needs), route.isSocket ? element("p", {}, t("swagger.socket")) : form(route, credential))
  })
  return made
}

function field(parameter: Parameter): HTMLLabelElement {
  const choices = parameter.schema?.enum
  const attributes = { name: parameter.name, required: parameter.required === true }
  const input = choices
    ? element("select", attributes, element("option", { value: "" }, t("swagger.any")),
        ...choices.map((choice) => element("option", { value: String(choice) }, String(choice))))
    : element("input", { ...attributes, type: "text", autocomplete: "off", spellcheck: "false" })
  const mean = [parameter.required ? t("swagger.required") : "", parameter.description ?? ""].filter(Boolean).join(" · ")
  return element("label", { class: "field" }, element("code", {}, parameter.name), input, element("span", { class: "small soft" }, mean))
}

function form(route: Route, credential: () => string): HTMLFormElement {
  const text = element("textarea", { rows: "8", spellcheck: "false", class: "mono" })
  text.value = route.body?.example ?? ""
  const body = route.body ? [element("label", { class: "field" }, element("b", {}, t("swagger.body")), text)] : []
  const send = element("button", { class: "yes" }, t("swagger.send"))
  const stop = element("button", { type: "button", hidden: true }, t("swagger.stop"))
  const answer = element("section", { "aria-label": t("swagger.answer"), "aria-live": "polite", class: "stack" })
  const made = element("form", { class: "stack" }, ...route.parameters.map(field), ...body,
    element("div", { class: "row" }, send, stop), answer)
  let running: AbortController | null = null
  stop.addEventListener("click", () => running?.abort())
  made.addEventListener("submit", (event) => {
    event.preventDefault()
    running?.abort()
    const own = (running = new AbortController())
    const values = Object.fromEntries([...new FormData(made)].map(([name, value]) => [name, String(value)]))
    stop.hidden = false
    void ask(route, values, text.value, credential(), own.signal, answer).finally(() => {
      if (running === own) stop.hidden = true
    })
  })
  return made
}

async function ask(
  route: Route, values: Record<string, string>, body: string, credential: string, signal: AbortSignal, place: HTMLElement,
): Promise<void> {
  const headers: Record<string, string> = credential ? { authorization: `Bearer ${credential}` } : {}
  if (route.body && body) headers["content-type"] = route.body.type
  const status = element("p", {})
  const shown = element("pre", { class: "scroll", tabindex: "0" })
  place.replaceChildren(status)
  try {
    const answer = await fetch(new URL(target(route, values), root), {
      method: route.method, headers, body: route.body && body ? body : null, signal, credentials: "omit", cache: "no-store",
    })
    status.append(element("b", {}, `${answer.status} ${answer.statusText}`))
    place.append(element("pre", { class: "small soft" }, [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n")), shown)
    await read(answer, shown)
  } catch (fault) {
    if (!signal.aborted) status.append(element("span", { class: "fault" }, t("swagger.failed", { why: String(fault) })))
  }
}

/** Shows the body as it comes, and JSON in lines once it is whole. */
async function read(answer: Response, place: HTMLElement): Promise<void> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (reader) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    const isCut = text.length > mostShown
    place.textContent = isCut ? text.slice(0, mostShown) + "\n" + t("swagger.cut") : text
    if (isCut) return reader.cancel()
    if (done) break
  }
  if (!answer.headers.get("content-type")?.startsWith("application/json")) return
  try {
    place.textContent = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // It stays as it came.
  }
}

void main()
