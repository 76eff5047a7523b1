import type { ToolWords } from "./words"

/** MCP-Server und ihre Werkzeuge. */
export const toolWords: ToolWords = {
  "tools.find": "Werkzeug finden", "tools.found": "Gefundene Werkzeuge", "tools.noneFits": "Kein Werkzeug passt.", "tools.back": "Zurück zu den Werkzeugen",
  "tools.count": "{n} {n|Werkzeug|Werkzeuge}", "tools.first": "die ersten {n}",
  "tools.none": "Noch ist kein MCP-Server bekannt.", "tools.noneHere": "Hier ist kein MCP-Server bekannt.",
  "tools.noneMeans": "Der Agent eines Rechners sagt, welche MCP-Server Claude Code in einem Verzeichnis hat. „Server lesen“ fragt ihn.",
  "tools.noAgents": "Kein Rechner hat einen Agenten. Einstellungen, Rechner sagt, wie man ihn installiert.",
  "tools.grant": "Wo der Server läuft:",
  "unread.servers": "Die MCP-Server ließen sich nicht lesen.", "unread.server": "Der MCP-Server ließ sich nicht lesen.", "unread.tools": "Die Werkzeuge ließen sich nicht lesen.",
  "servers.count": "{n} Server", "servers.unknown": "Nichts bekannt ist von", "servers.noAgent": "kein Agent", "servers.away": "Agent nicht verbunden", "servers.notAsked": "noch nicht gefragt",
  "servers.toMachines": "Wie man einen Agenten installiert",

  server: "MCP-Server", "server.gone": "Diesen MCP-Server gibt es nicht, oder sein Rechner nennt ihn nicht mehr.", "server.facts": "Zustand des Servers", "server.tools": "Werkzeuge des Servers",
  "server.everywhere": "in allen Verzeichnissen", "server.changed": "{n} geändert",
  "server.noTools": "Der Server hat keine Werkzeuge.", "server.noToolsYet": "Kein Werkzeug des Servers ist bekannt.", "server.notAll": "Der Server hat mehr Werkzeuge, als hier bekannt sind.",
  "server.transport": "Läuft", "server.transport.stdio": "als Programm auf dem Rechner", "server.transport.http": "anderswo, über das Netz", "server.transport.sse": "anderswo, über das Netz",
  "server.transport.unknown": "unbekannt", "server.scope": "Eingerichtet", "server.scope.user": "für alle Verzeichnisse dieser Person", "server.scope.local": "für dieses Verzeichnis, von dieser Person",
  "server.scope.project": "in der Datei .mcp.json des Verzeichnisses", "server.read": "Gelesen",
  "server.state.connected": "Antwortet", "server.state.failed": "Antwortet nicht", "server.state.needs-auth": "Wartet auf eine Anmeldung", "server.state.pending": "Verbindet sich noch",
  "server.state.disabled": "Abgeschaltet", "server.state.unlisted": "Nicht nach Werkzeugen gefragt",
  "server.advice.needs-auth": "Melde dich am Rechner an: /mcp in Claude Code.", "server.advice.disabled": "Eingeschaltet wird er am Rechner: /mcp in Claude Code.", "server.advice.pending": "Lies die Server gleich noch einmal.",
  "server.reason.remote": "Er wird über das Netz erreicht, und gefragt werden nur Programme auf dem Rechner.",
  "server.reason.not_approved": "Er steht in der .mcp.json des Verzeichnisses, und niemand hat ihm zugestimmt. Claude Code fragt danach, wenn es dort gestartet wird.",
  "server.reason.program_not_found": "Sein Programm ist nicht da.", "server.reason.too_long": "Seine Liste der Werkzeuge ist zu lang.",

  refresh: "Server lesen", "refresh.title": "Die MCP-Server eines Projekts lesen?",
  "refresh.means": "Der Rechner startet jeden Server des Verzeichnisses, der ein Programm ist, fragt ihn nach seinen Werkzeugen und beendet ihn. Er tut das nur in einem Verzeichnis, dem jemand am Rechner vertraut.",
  "refresh.needs": "Dieser Browser darf ansehen, aber keinen Rechner Programme starten lassen: dafür braucht er control.", "refresh.do": "Starten und lesen", "refresh.unread": "Die Projekte ließen sich nicht lesen.",
  "refresh.noProjects": "Es gibt kein Projekt auf einem Rechner mit Agent. Die erste Sitzung in einem Verzeichnis macht es zum Projekt.",
  "refresh.runs": "{machine} startet seine Server. Das kann eine Minute dauern.", "refresh.done": "Gelesen: {n} Server auf {machine}",

  changed: "Geänderte Werkzeuge", "changed.waits": "wartet auf dich", "changed.more": "{n} weitere stehen bei ihren Servern.", "changed.of": "Änderung von {name}",
  "changed.means": "Der Server sagt von diesen Werkzeugen jetzt etwas anderes, als angenommen wurde. Bis eine Person das Neue annimmt, gilt das Angenommene.",
  "changed.unseen": "Was sich unterscheidet, ist hier nicht zu sehen: Es steht in Zeichen, die Text verbergen, oder jenseits dessen, was gezeigt wird.",
  "changed.cut": "Die neue Beschreibung ist länger als das, was gezeigt wird: von einem Titel 200 Zeichen, von einer Beschreibung 10.000.",
  "changed.new": "Alles Neue", "changed.old": "Alles Angenommene",
  "changed.needs": "Das Neue anzunehmen braucht control, und das hat dieser Browser nicht.",
  "changed.sure": "Ich nehme auch an, was hier nicht gezeigt wird.", "changed.accept": "Annehmen, was gezeigt wird", "changed.accepted": "Angenommen: {name}",
  "definition.title": "Titel", "definition.description": "Beschreibung", "definition.parameters": "Argumente", "definition.output_schema": "Form des Ergebnisses", "definition.annotations": "Was der Server von seinen Wirkungen sagt",

  "tool.changed": "geändert", "tool.nameOnly": "nur der Name ist bekannt", "tool.unlisted": "Nur der Name dieses Werkzeugs ist bekannt: Sein Server wurde nicht nach mehr gefragt.",
  "tool.pinnedShown": "Dies ist, was angenommen wurde. Was der Server jetzt sagt, steht oben.",
  "tool.noDescription": "Der Server beschreibt es nicht.", "tool.parameters": "Argumente", "tool.parametersRaw": "Argumente als JSON Schema", "tool.outputRaw": "Form des Ergebnisses als JSON Schema", "tool.annotationsRaw": "Hinweise als JSON",
  "tool.claudeName": "Name in Claude Code", "tool.digest": "SHA-256", "tool.first": "Zuerst gesehen", "tool.accepted": "Angenommen von",

  "hint.says": "Der Server sagt:", "hint.none": "Der Server sagt nicht, was das Werkzeug ändert.",
  "hint.reads": "Es liest nur.", "hint.changes": "Es kann etwas ändern.", "hint.destroys": "Es kann etwas löschen oder überschreiben.", "hint.adds": "Es fügt nur etwas hinzu.",
  "hint.repeats": "Derselbe Aufruf noch einmal ändert nichts weiter.", "hint.open": "Es hat mit der Außenwelt zu tun, etwa dem Web.", "hint.closed": "Es bleibt bei seinen eigenen Daten.",

  "schema.name": "Name", "schema.type": "Typ", "schema.required": "Nötig", "schema.isRequired": "nötig", "schema.optional": "freiwillig", "schema.description": "Beschreibung",
  "schema.oneOf": "Eines von:", "schema.initial": "Sonst:", "schema.none": "Es nimmt keine Argumente.", "schema.notWhole": "Die Tabelle zeigt nicht alles. Das JSON Schema tut es.",
  "type.string": "Text", "type.number": "Zahl", "type.integer": "ganze Zahl", "type.boolean": "ja oder nein", "type.object": "Objekt", "type.array": "Liste", "type.null": "null",
  "type.any": "beliebig", "type.or": " oder ", "type.listOf": "Liste von: {of}",


  "tools.fault.insufficient_scope": "Dieser Browser darf das auf {machine} nicht.",
  "tools.fault.tool_changed": "Nichts wurde angenommen: Der Server hat das Werkzeug noch einmal geändert, seit diese Seite es gelesen hat. Dies sagt er jetzt.",
  "tools.fault.tool_not_found": "Der Server hat dieses Werkzeug nicht mehr.", "tools.fault.not_a_device": "Nur eine Person nimmt ein Werkzeug an.",
  "tools.fault.untrusted_directory": "Niemand vertraut diesem Verzeichnis auf {machine}, also wird kein Programm davon gestartet.",
  "tools.advice.untrusted_directory": "Starte dort einmal Claude Code und vertraue dem Verzeichnis, oder schreib trust= mit seinem Pfad in die Datei ~/.config/claude-monitor/agent auf {machine}.",
  "tools.fault.not_allowed_by_machine": "{machine} erlaubt das nicht.", "tools.advice.not_allowed_by_machine": "Dafür muss control=on in der Datei ~/.config/claude-monitor/agent auf {machine} stehen.",
  "tools.fault.outside_roots": "Das Verzeichnis liegt außerhalb derer, die {machine} erlaubt.", "tools.advice.outside_roots": "Es sind die Zeilen roots= in der Datei ~/.config/claude-monitor/agent auf {machine}.",
  "tools.fault.agent_unavailable": "Der Agent von {machine} ist nicht verbunden.", "tools.advice.agent_unavailable": "Auf dem Rechner: monitor-agent run",
  "tools.fault.agent_timeout": "{machine} hat nicht rechtzeitig geantwortet.", "tools.fault.agent_outdated": "Der Agent von {machine} ist zu alt dafür.", "tools.advice.agent_outdated": "Auf dem Rechner: monitor-agent update",
  "tools.fault.agent_failed": "Der Agent von {machine} ist gescheitert.", "tools.fault.too_many_commands": "{machine} hat zu tun. Versuch es gleich noch einmal.",
}
