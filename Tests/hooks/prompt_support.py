"""Prompts for the tests: hook inputs, and answers as a server gives them."""

import json
import os

SESSION = "6f2d3b1c-0000-4000-8000-000000000001"


def request(tool="Bash", tool_input=None, **extra):
    """A PermissionRequest."""
    return {"session_id": SESSION, "transcript_path": "/home/u/t.jsonl", "cwd": "/home/u/p", "permission_mode": "default",
            "hook_event_name": "PermissionRequest", "tool_name": tool,
            "tool_input": {"command": "npm test"} if tool_input is None else tool_input, **extra}


def elicitation(**extra):
    return {"session_id": SESSION, "cwd": "/home/u/p", "hook_event_name": "Elicitation", "mcp_server_name": "phone",
            "message": "Which branch?", "mode": "form", "requested_schema": {"type": "object", "properties": {
                "branch": {"type": "string"}, "sure": {"type": "boolean"}, "count": {"type": "integer"},
                "tags": {"type": "array"}}}, **extra}


QUESTIONS = {"questions": [
    {"question": 'Which "data\\base", é?', "header": "Database", "multiSelect": False,
     "options": [{"label": "PostgreSQL", "description": "A server"}, {"label": "SQLite", "description": "A file"}]},
    {"question": "Which platforms?", "header": "Platforms", "multiSelect": True,
     "options": [{"label": "iPhone", "description": "a"}, {"label": "Mac", "description": "b"}]}]}
PLAN = {"plan": "# Plan\n\n1. Touch.\n", "planFilePath": "/home/u/.claude/plans/x.md"}


def answer(behavior="allow", **decision):
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": behavior, **decision}}}


def form(action, **fields):
    return {"hookSpecificOutput": {"hookEventName": "Elicitation", "action": action, **fields}}


def add_rules(content, tool="Bash", destination="session", behavior="allow"):
    rule = {"toolName": tool} if content is None else {"toolName": tool, "ruleContent": content}
    return {"type": "addRules", "rules": [rule], "behavior": behavior, "destination": destination}


def set_mode(mode="acceptEdits", destination="session"):
    return {"type": "setMode", "mode": mode, "destination": destination}


def write_approvals(machine, text):
    path = os.path.join(os.path.dirname(machine.config), "approvals")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def encode(value):
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
