import { number } from "../lib/time"
import { Plain } from "../parts/Plain"
import { t } from "../words/words"
import { nameOf, toggled, type SessionServer, type Switches } from "./limits"

interface Props {
  server: SessionServer
  switches: Switches
  isLocked: boolean
  onChange: (switches: Switches) => void
}

/** A server to switch, and below it its tools. */
export function ServerSwitch({ server, switches, isLocked, onChange }: Props) {
  const isOn = !switches.servers.has(server.name)
  const on = isOn ? server.tools.filter((tool) => !switches.tools.has(nameOf(server, tool))).length : 0
  return (
    <li className="limited">
      <label className="row">
        <input type="checkbox" checked={isOn} disabled={isLocked}
          onChange={() => onChange({ ...switches, servers: toggled(switches.servers, server.name) })} />
        <b className="grow clip"><Plain text={server.name} /></b>
        <span className="soft num small">{t("limits.count", { n: number(on), all: number(server.tools.length) })}</span>
      </label>
      {server.tools.length > 0 && (
        <details className="raw">
          <summary>{t("server.tools")}</summary>
          <ul>
            {server.tools.map((tool) => (
              <li key={tool}>
                <label className="row">
                  <input type="checkbox" checked={isOn && !switches.tools.has(nameOf(server, tool))} disabled={isLocked || !isOn}
                    onChange={() => onChange({ ...switches, tools: toggled(switches.tools, nameOf(server, tool)) })} />
                  <code className="clip"><Plain text={tool} isCommand /></code>
                </label>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}
