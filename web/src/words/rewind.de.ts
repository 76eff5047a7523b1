import type { RewindWords } from "./words"

/** Eine Sitzung zurücksetzen auf den Stand vor einer Nachricht. */
export const rewindWords: RewindWords = {
  "rewind.title": "Sitzung zurückspulen", "rewind.choose": "Alles ab dieser Nachricht wird zurückgenommen:", "rewind.messages": "Deine Nachrichten",
  "rewind.none": "Der Server kennt keine Nachricht dieser Sitzung, zu der Claude Code zurück könnte.", "rewind.what": "Was zurückgeht",
  "rewind.both": "Dateien und Gespräch", "rewind.files": "{n} {n|Datei geht|Dateien gehen} zurück: +{added} −{removed} Zeilen", "rewind.onlyFiles": "Nur die Dateien",
  "rewind.conversation": "Nur das Gespräch", "rewind.noFiles": "Keine Datei ändert sich.", "rewind.commands": "Was Befehle geändert haben, bleibt.",
  "rewind.forgets": "Claude vergisst die Nachricht und was danach kam.", "rewind.do": "Zurückspulen", "rewind.done": "Die Sitzung ist wieder dort, wo sie war",
}
