/** Taking a session back to its state before a message. */
export const rewindWords = {
  "rewind.title": "Rewind the session", "rewind.choose": "Everything from this message on is taken back:", "rewind.messages": "Your messages",
  "rewind.none": "The server knows no message of this session that Claude Code could go back to.", "rewind.what": "What goes back",
  "rewind.both": "Files and conversation", "rewind.files": "{n} {n|file goes|files go} back: +{added} −{removed} lines", "rewind.onlyFiles": "Only the files",
  "rewind.conversation": "Only the conversation", "rewind.noFiles": "No file changes.", "rewind.commands": "What commands have changed stays.",
  "rewind.forgets": "Claude forgets the message and what came after it.", "rewind.do": "Rewind", "rewind.done": "The session is back where it was",
} as const
