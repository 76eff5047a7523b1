import { useMemo } from "react"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { compact, money, number } from "../lib/time"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { machines } from "../state/machines"
import { t } from "../words/words"
import { readModels, readUse, rowsOf, type Row } from "./modelRows"

/** What the models cost, what was spent on each, and which machines use it. */
export function Models() {
  const all = useStore(machines)
  const known = useLoaded(readModels, [])
  const names = all.map((one) => one.name).join("\n")
  const use = useLoaded(() => readUse(machines.get()), [names])
  const rows = useMemo(() => rowsOf(known.value?.models ?? [], use.value?.all ?? [], use.value?.byMachine ?? new Map()), [known.value, use.value])
  const used = rows.filter((row) => row.requests > 0)
  const others = rows.filter((row) => row.requests === 0)
  return (
    <div className="stack">
      <p className="small soft">{t("models.what", { source: known.value?.price_source ?? "…" })}</p>
      <Fault what={t("unread.models")} error={known.error} again={known.again} />
      <Fault what={t("unread.figures")} error={use.error} again={use.again} />
      {!known.value && !known.error && <Skeleton label={t("reading")} />}
      <h3>{t("models.used")}</h3>
      {use.value && used.length === 0 && <p className="soft">{t("models.none")}</p>}
      <ul className="rows models" aria-label={t("models.used")}>{used.map((row) => <ModelRow key={row.id} row={row} />)}</ul>
      <h3>{t("models.programs")}</h3>
      <p className="small soft">{t("models.programsMean")}</p>
      <Programs />
      {others.length > 0 && <h3>{t("models.others")}</h3>}
      <ul className="rows models" aria-label={t("models.others")}>{others.map((row) => <ModelRow key={row.id} row={row} />)}</ul>
      <p><a href="#/figures">{t("figures")}</a></p>
    </div>
  )
}

function ModelRow({ row }: { row: Row }) {
  const { model } = row
  const price = model?.pricing?.per_million
  return (
    <li>
      <p className="row">
        <span className="grow wrap"><b><Plain text={model?.name ?? row.id} /></b>
          {model?.aliases.map((alias) => <span key={alias} className="tag">{alias}</span>)}
        </span>
        {row.requests > 0 && <b className="num">{model ? money(row.cost) : "–"}</b>}
      </p>
      <p className="small soft row wrap">
        <code className="grow"><Plain text={row.id} isCommand /></code>
        {row.requests > 0 && <span className="num">{t("models.use", { tokens: compact(row.tokens), requests: number(row.requests) })}</span>}
      </p>
      <p className="small num">
        {price ? t("models.price", { in: money(price.input), out: money(price.output), read: money(price.cache_read), write: money(price.cache_write_5m) })
          : <span className="warn">{t("models.unpriced")}</span>}
      </p>
      <p className="small soft">
        {model?.max_tokens ? t("models.context", { n: compact(model.max_tokens) }) : ""}
        {model?.max_output_tokens ? " · " + t("models.output", { n: compact(model.max_output_tokens) }) : ""}
        {model?.machines?.length ? <> · <Plain text={t("models.offered", { machines: model.machines.join(", ") })} /></> : ""}
        {row.machines.length > 0 && <> · <Plain text={t("models.on", { machines: row.machines.join(", ") })} /></>}
      </p>
    </li>
  )
}

/** The Claude Code of each machine decides which models it offers. */
function Programs() {
  const all = useStore(machines)
  return (
    <ul className="rows" aria-label={t("models.programs")}>
      {all.map((machine) => (
        <li key={machine.id} className="row wrap">
          <span className="grow"><Plain text={machine.name} /></span>
          <span className="small soft"><Plain text={clients(machine.agent?.clients) || t(machine.agent?.state === "none" ? "models.noAgent" : "models.away")} /></span>
        </li>
      ))}
    </ul>
  )
}

export function clients(all: { name?: string; version?: string }[] | undefined): string {
  return (all ?? []).map((one) => [one.name === "claude" ? "Claude Code" : one.name, one.version].filter(Boolean).join(" ")).join(", ")
}
