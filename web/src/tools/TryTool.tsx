import { useEffect, useMemo, useRef, useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { visibleText } from "../lib/visible"
import { Fault } from "../parts/Notice"
import { me } from "../state/me"
import { t } from "../words/words"
import { ArgumentField } from "./ArgumentField"
import { argumentsOf, fieldsOf } from "./arguments"
import { isOpen, readCall, readPlaces, runTool, type ToolCall } from "./toolCalls"
import { CallResult } from "./CallResult"
import { NeedsControl, Refused } from "./Refused"
import type { Tool } from "./requests"

/** A form made from the schema of a tool, which runs it once somebody else has approved that. */
export function TryTool({ tool }: { tool: Tool }) {
  const [isShown, setShown] = useState(false)
  const may = useStore(me)?.capabilities.some((one) => one === "control" || one === "tools")
  return (
    <details className="raw try" onToggle={(event) => setShown((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>{t("try")}</summary>
      {isShown && (may ? <Form tool={tool} /> : <NeedsControl what={t("try.needs")} />)}
    </details>
  )
}

function Form({ tool }: { tool: Tool }) {
  const fields = useMemo(() => fieldsOf(tool.parameters), [tool])
  const places = useLoaded(() => readPlaces(tool), [tool.server_id])
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map())
  const [chosen, setChosen] = useState("")
  const [hasTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const running = useRunning()
  const given = argumentsOf(fields, texts)
  const place = places.value?.find((one) => one.id === chosen) ?? places.value?.[0]
  const submit = (event: Event) => {
    event.preventDefault()
    setTried(true)
    if (!place) return
    if (given.problems.size === 0) running.run(tool, place.id, given.arguments)
    else form.current?.querySelectorAll<HTMLElement>(".argument")[fields.findIndex((one) => given.problems.has(one.member.path))]?.focus()
  }
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      <p className="small soft">{t("try.means")}</p>
      <Fault what={t("refresh.unread")} error={places.error} again={places.again} />
      {places.value?.length === 0 && <p>{t("try.noProject")}</p>}
      {place && (
        <label className="field"><b>{t("filter.project")}</b>
          <select value={place.id} onChange={(event) => setChosen(event.target.value)}>
            {places.value?.map((one) => <option key={one.id} value={one.id}>{visibleText(one.path ?? "")}</option>)}
          </select>
        </label>
      )}
      {fields.map((field, index) => (
        <ArgumentField key={index} field={field} text={texts.get(field.member.path) ?? field.initial}
          problem={hasTried ? given.problems.get(field.member.path) : undefined}
          onChange={(text) => setTexts((all) => new Map(all).set(field.member.path, text))} />
      ))}
      <div className="acts"><button type="submit" className="yes" disabled={!place || running.isRunning}>{t("try.do")}</button></div>
      <div role="status" className="stack">
        {running.isRunning && <p className="small">{t("try.waits")}</p>}
        {running.call && !running.isRunning && <CallResult call={running.call} />}
      </div>
      {running.error?.code === "tool_changed" ? <p className="fault" role="alert">{t("try.changed")}</p>
        : <Refused error={running.error} machine={tool.machine_id ?? ""} />}
    </form>
  )
}

const pauseMilliseconds = 3_000

interface Running {
  isRunning: boolean
  call: ToolCall | null
  error: ApiError | null
  run: (tool: Tool, project: string, given: Record<string, unknown>) => void
}

/** One call at a time. It goes on if the person goes elsewhere. */
function useRunning(): Running {
  const [isRunning, setRunning] = useState(false)
  const [call, setCall] = useState<ToolCall | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  const follow = async (tool: Tool, project: string, given: Record<string, unknown>) => {
    let found = await runTool(tool, project, given)
    while (isOpen(found) && isHere.current) {
      await new Promise((done) => setTimeout(done, pauseMilliseconds))
      found = await readCall(found.call_id).catch((fault: unknown) => {
        // The server may be back in a moment.
        if (asApiError(fault).isPassing) return found
        throw fault
      })
    }
    return found
  }
  return {
    isRunning, call, error,
    run: (tool, project, given) => {
      setRunning(true)
      setCall(null)
      setError(null)
      follow(tool, project, given).then(setCall, (fault: unknown) => setError(asApiError(fault))).finally(() => setRunning(false))
    },
  }
}
