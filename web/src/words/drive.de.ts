/** Starting and driving sessions of machines whose agent is connected. */
export const drive = {
  "start.new": "Neue Sitzung", "start.machine": "Rechner", "start.project": "Projekt", "start.path": "Verzeichnis",
  "start.other": "Anderes Verzeichnis…", "start.model": "Modell", "start.modelHint": "Wie am Rechner eingestellt", "start.mode": "Modus",
  "start.message": "Erste Nachricht", "start.do": "Starten", "start.doing": "Claude Code startet…", "start.worktree": "In einem Git-Worktree arbeiten",
  "start.restricted": "Ohne Einstellungen, Hooks und MCP-Server des Verzeichnisses starten",
  "start.untrusted": "Niemand hat dieses Verzeichnis am Rechner angenommen. Nimm es dort an, oder starte eingeschränkt.",
  "start.noAgent": "Kein Rechner hat einen verbundenen Agenten. Am Rechner: monitor-agent run", "start.offline": "nicht verbunden", "start.off": "erlaubt keine Sitzungen",
  "start.roots": "Der Rechner erlaubt Sitzungen unterhalb von {roots}.",
  "start.mayNot": "Dieses Gerät darf keine Sitzungen starten. Der Betreiber erlaubt es: monitorctl device grant {id} control",
  "mode.default": "Fragen", "mode.plan": "Planen", "mode.acceptEdits": "Änderungen annehmen", "mode.auto": "Automatisch", "mode.dontAsk": "Ablehnen, was gefragt würde",
  "mode.switch": "Berechtigungsmodus", "end": "Beenden", "end.title": "Sitzung beenden?",
  "end.means": "Claude Code endet auf seinem Rechner, und die Werkzeuge, die es ausführt. Das Gespräch bleibt und kann fortgesetzt werden.",
  "end.left": "Läuft auf dem Rechner weiter: {commands}", "end.leftovers": "Auch beenden, was seine Werkzeuge laufen ließen",
  "mode.interactive": "Terminal", "terminal": "Terminal", "terminal.connecting": "Verbindet …", "terminal.keys": "Tasten", "terminal.close": "Schließen",
  writing: "Claude schreibt", "continue": "Fortsetzen", "fork": "Kopie fortsetzen",
}
