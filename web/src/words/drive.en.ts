/** Starting and driving sessions of machines whose agent is connected. */
export const drive = {
  "start.new": "New session", "start.machine": "Machine", "start.project": "Project", "start.path": "Directory",
  "start.other": "Another directory…", "start.model": "Model", "start.modelHint": "As the machine has it", "start.mode": "Mode",
  "start.message": "First message", "start.do": "Start", "start.doing": "Claude Code is starting…", "start.worktree": "Work in a Git worktree",
  "start.restricted": "Start without the directory's settings, hooks and MCP servers",
  "start.untrusted": "Nobody has accepted this directory on the machine. Accept it there, or start restricted.",
  "start.noAgent": "The agent of no machine is connected. On the machine: monitor-agent run", "start.offline": "not connected", "start.off": "allows no sessions",
  "start.roots": "The machine allows sessions below {roots}.",
  "start.mayNot": "This device may not start sessions. The operator grants it: monitorctl device grant {id} control",
  "mode.default": "Ask", "mode.plan": "Plan", "mode.acceptEdits": "Accept edits", "mode.auto": "Automatic", "mode.dontAsk": "Deny what would be asked",
  "mode.switch": "Permission mode", "end": "Stop", "end.title": "Stop the session?",
  "end.means": "Claude Code ends on its machine, and the tools that it runs. The conversation stays, and can be continued.",
  "end.left": "Still running on the machine: {commands}", "end.leftovers": "Also end what its tools have left running",
  "mode.interactive": "Terminal", "terminal": "Terminal", "terminal.connecting": "Connecting…", "terminal.keys": "Keys", "terminal.close": "Close",
  writing: "Claude is writing", "continue": "Continue", "fork": "Continue a copy",
}
