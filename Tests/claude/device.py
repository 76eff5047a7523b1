"""A paired device: the REST requests of a person's phone."""

import contextlib
import json
import threading
import urllib.error
import urllib.request
import uuid

from monitor import wait_until


class Device:
    def __init__(self, monitor, name="phone"):
        self.monitor = monitor
        code = self.ask("POST", "/v1/pairing", credential=monitor.token)["code"]
        paired = self.ask("POST", "/v1/pairing/exchange", {"code": code, "name": name}, credential="")
        self.credential, self.id = paired["access_token"], paired.get("device_id")

    def ask(self, method, path, body=None, credential=None):
        credential = self.credential if credential is None else credential
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {credential}"} if credential else {})
        request = urllib.request.Request(self.monitor.url + path, json.dumps(body or {}).encode() if method != "GET" else None,
                                         headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"{}")

    def status(self, method, path, body=None):
        """Returns (status, body), also for an error."""
        try:
            return 200, self.ask(method, path, body)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def prompts(self, session, state=None):
        query = f"?session_id={session}" + (f"&state={state}" if state else "")
        return [one for one in self.ask("GET", "/v1/prompts" + query)["prompts"] if one["kind"] != "input"]

    def await_prompt(self, session, seconds=20):
        """Waits for the only prompt of the session that can be answered now."""
        return wait_until(seconds, "a prompt that can be answered",
                          lambda: [one for one in self.prompts(session, "open") if one["answerable"]])[0]

    def answer(self, prompt, **words):
        return self.status("POST", f"/v1/prompts/{prompt['id']}/answer", {"answer_id": str(uuid.uuid4()), **words})

    @contextlib.contextmanager
    def approving(self, session, tool, seconds=120):
        """Approves the next prompt of the session about the tool, as soon as it can be answered, while something else runs.
        Gives the list of the prompts that were approved."""
        approved = []

        def approve():
            prompt = self.await_prompt(session, seconds)
            if prompt["tool_name"] == tool and self.answer(prompt, decision="allow")[0] == 200:
                approved.append(prompt)
        person = threading.Thread(target=approve, daemon=True)
        person.start()
        yield approved
        person.join(seconds)

    def forget(self):
        """Unpairs the device, so that it cannot answer the prompts of later scenarios."""
        if self.id:
            self.status("DELETE", f"/v1/devices/{self.id}")
