"""usage: composio_turns.py URL KEY   with the steps as JSON in the standard input: [[name, arguments], ...]

Uses a session of the tool router by Composio's own client from PyPI, unmodified, and prints what each step returned as one JSON
array. The first step is usually `create`; the later ones are of its session. A step that raises gives {"raised": ...}.
"""

import json
import os
import sys

# The client would tell Composio of its use.
os.environ["COMPOSIO_DISABLE_TELEMETRY"] = "true"

import composio  # noqa: E402


def plain(value):
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if hasattr(value, "__dict__"):
        return plain({name: one for name, one in vars(value).items() if not name.startswith("_")})
    return str(value)


class Turns:
    def __init__(self, url, key):
        self.client = composio.Composio(api_key=key, base_url=url)
        self.raw = getattr(self.client, "client", None) or self.client._client
        self.session = None

    def create(self, **arguments):
        self.session = self.client.create(**arguments)
        return self.shown()

    def use(self, session_id):
        self.session = self.client.use(session_id)
        return self.shown()

    def shown(self):
        mcp = self.session.mcp
        return {"session_id": self.session.session_id, "url": mcp.url, "headers": sorted(mcp.headers or {})}

    def tools(self):
        """In the form for OpenAI."""
        tools = self.session.tools
        return tools() if callable(tools) else tools

    def toolkits(self, **arguments):
        return self.session.toolkits(**arguments)

    def execute(self, slug, arguments, **more):
        if hasattr(self.session, "execute"):
            return self.session.execute(slug, arguments=arguments, **more)
        return self.raw.tool_router.session.execute(
            session_id=self.session.session_id, tool_slug=slug, arguments=arguments, **more)

    def meta(self, slug, arguments):
        if hasattr(self.session, "execute_meta"):
            return self.session.execute_meta(slug, arguments=arguments)
        return self.raw.tool_router.session.execute_meta(
            session_id=self.session.session_id, slug=slug, arguments=arguments)

    def search(self, **arguments):
        return self.session.search(**arguments)

    def update(self, **arguments):
        self.session.update(**arguments)
        return self.raw.tool_router.session.retrieve(self.session.session_id)

    def delete(self):
        return self.session.delete()

    def authorize(self, toolkit):
        request = self.session.authorize(toolkit)
        return {"id": request.id, "redirect_url": request.redirect_url}

    def link(self, toolkit, user_id, **arguments):
        """By the toolkit's auth config, as `toolkits.authorize` finds it."""
        config = self.raw.auth_configs.list(toolkit_slug=toolkit).items[0].id
        request = self.client.connected_accounts.link(user_id=user_id, auth_config_id=config, **arguments)
        return {"id": request.id, "redirect_url": request.redirect_url}

    def authorize_toolkit(self, toolkit, user_id):
        request = self.client.toolkits.authorize(user_id=user_id, toolkit=toolkit)
        return {"id": request.id, "redirect_url": request.redirect_url}

    def account(self, id):
        return self.client.connected_accounts.get(id)

    def accounts(self, **arguments):
        return self.client.connected_accounts.list(**arguments)

    def wait_for_account(self, id):
        return self.client.connected_accounts.wait_for_connection(id, timeout=30)

    def delete_account(self, id):
        return self.client.connected_accounts.delete(id)

    def list_tools(self, **arguments):
        return self.client.tools.get_raw_composio_tools(**arguments)

    def get_tool(self, slug):
        return self.client.tools.get_raw_composio_tool_by_slug(slug)

    def run_tool(self, slug, arguments, **more):
        return self.client.tools.execute(slug, arguments, dangerously_skip_version_check=True, **more)


def main(url, key):
    turns, answers = Turns(url, key), []
    for name, arguments in json.load(sys.stdin):
        try:
            answers.append(plain(getattr(turns, name)(**arguments)))
        except Exception as error:  # noqa: BLE001: each is an answer
            told = {name: plain(getattr(error, name)) for name in ("status_code", "body", "input_requests", "request_state")
                    if getattr(error, name, None) is not None}
            answers.append({"raised": type(error).__name__, "text": str(error), **told})
    json.dump(answers, sys.stdout)


main(*sys.argv[1:])
