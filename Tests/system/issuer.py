"""An MCP server that asks for OAuth, with its authorization server, on loopback. A test says how they lie and fail."""

import base64
import hashlib
import http.server
import json
import secrets
import threading
import urllib.parse


class Issuer:
    """Serves `/mcp`, its metadata and the endpoints of the authorization server.

    Codes and refresh tokens count once. An access token counts for its resource only.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.codes, self.access, self.refresh = {}, {}, {}
        self.clients, self.revoked, self.exchanges, self.refreshes, self.requests = {}, [], [], 0, []
        self.lifetime, self.failures, self.changes, self.resource_changes = 3600, [], {}, {}
        self.names_issuer, self.seen_secrets, self.calls = True, set(), 0
        # The scope that a call of a tool needs, and the tokens that requests came with.
        self.wanted, self.scopes, self.used = None, {}, []
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                issuer.answer(self, b"")

            def do_POST(self):
                issuer.answer(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()

    # What it says of itself

    @property
    def metadata(self):
        known = {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize", "token_endpoint": f"{self.url}/token",
                 "registration_endpoint": f"{self.url}/register", "revocation_endpoint": f"{self.url}/revoke",
                 "code_challenge_methods_supported": ["S256"], "scopes_supported": ["tools"],
                 "authorization_response_iss_parameter_supported": self.names_issuer}
        return {name: value for name, value in {**known, **self.changes}.items() if value is not None}

    @property
    def resource(self):
        return {"resource": f"{self.url}/mcp", "authorization_servers": [self.url], **self.resource_changes}

    # Requests

    def answer(self, request, body):
        url = urllib.parse.urlsplit(request.path)
        with self.lock:
            self.requests.append((request.command, url.path, dict(request.headers)))
            status, headers, text = self.decide(url, request, body)
        data = text.encode() if isinstance(text, str) else json.dumps(text).encode()
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data)

    def decide(self, url, request, body):
        form = dict(urllib.parse.parse_qsl(body.decode(errors="replace")))
        if url.path == "/.well-known/oauth-protected-resource/mcp":
            return 200, {}, self.resource
        if url.path == "/.well-known/oauth-authorization-server":
            return 200, {}, self.metadata
        if url.path == "/authorize":
            return 302, {"Location": self.authorize(self.url + request.path)}, ""
        if url.path == "/register":
            return self.register(json.loads(body))
        if url.path == "/token":
            return self.token(form, request.headers)
        if url.path == "/revoke":
            self.revoked.append(form)
            self.access.pop(form["token"], None)
            self.refresh.pop(form["token"], None)
            return 200, {}, ""
        if url.path == "/mcp":
            return self.mcp(request.headers, body)
        return 404, {}, {}

    def register(self, wish):
        client = f"client-{len(self.clients) + 1}"
        self.clients[client] = wish
        return 201, {}, {**wish, "client_id": client}

    def authorize(self, location, error=None):
        """What the browser does at the authorization endpoint. Returns the address to which it is sent back."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
        back = {"state": query["state"]}
        if self.names_issuer:
            back["iss"] = self.url
        if error:
            back["error"] = error
        else:
            code = self.made()
            self.codes[code] = query
            back["code"] = code
        return query["redirect_uri"] + "?" + urllib.parse.urlencode(back)

    def token(self, form, headers):
        self.exchanges.append(form)
        if self.failures:
            return self.failures.pop(0), {}, {}
        scope = "tools"
        if form.get("grant_type") == "authorization_code":
            begun = self.codes.pop(form.get("code"), None)
            challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if not begun or begun["code_challenge"] != challenge.decode().rstrip("=") \
                    or begun["redirect_uri"] != form.get("redirect_uri") or begun["client_id"] != form.get("client_id"):
                return 400, {}, {"error": "invalid_grant"}
            scope = begun.get("scope", scope)
        elif form.get("grant_type") == "refresh_token":
            self.refreshes += 1
            if not self.refresh.pop(form.get("refresh_token"), None):
                return 400, {}, {"error": "invalid_grant"}
        else:
            return 400, {}, {"error": "unsupported_grant_type"}
        access, refresh = self.made(), self.made()
        self.access[access], self.refresh[refresh], self.scopes[access] = form.get("resource"), True, scope
        return 200, {}, {"access_token": access, "refresh_token": refresh, "token_type": "Bearer",
                         "expires_in": self.lifetime, "scope": scope}

    def mcp(self, headers, body):
        kind, _, token = headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or self.access.get(token) != f"{self.url}/mcp":
            place = f"{self.url}/.well-known/oauth-protected-resource/mcp"
            return 401, {"WWW-Authenticate": f'Bearer resource_metadata="{place}", scope="tools"'}, {}
        message = json.loads(body)
        self.used.append((message.get("method"), token))
        if message.get("method") == "tools/call" and self.wanted and self.wanted not in self.scopes[token].split():
            return 403, {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{self.wanted}"'}, {}
        self.calls += message.get("method") == "tools/call"
        result = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": {"tools": [{"name": "greet", "description": "Says hello.", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "hello"}], "isError": False},
        }.get(message.get("method"), {})
        shared = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return 200, {}, {"jsonrpc": "2.0", "id": message.get("id"), "result": {**shared, **result}}

    def made(self):
        """A secret that must not be found where it does not belong."""
        made = secrets.token_urlsafe(32)
        self.seen_secrets.add(made)
        return made

    def revoke_all(self):
        with self.lock:
            self.access, self.refresh = {}, {}
