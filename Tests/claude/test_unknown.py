"""Which names are read from a client's program."""

import unittest

import unknown

TABLE = ",".join('"%s":"always"' % name for name in ("custom-title", "ai-title", "last-prompt", "pr-link", "cost-state", "new-line"))
PROGRAM = ('x\0var a=["PreToolUse","PostToolUse","PostToolUseFailure","Notification","Stop","NewEvent"];'
           'var b={user:"message",system:"always",progress:"always",' + TABLE + ',tag:"always",mode:"repeat"};'
           'async function q$(e,n={},o){let u={...w(),"event.name":e,"event.timestamp":1};}'
           'q$("api_request",{a:1});q$("new_event",{});other("no_event",{})').encode()


class Names(unittest.TestCase):
    def test_what_is_new_is_named(self):
        self.assertEqual(unknown.report(PROGRAM), [
            "hook events that this project does not know: NewEvent", "transcript lines that this project does not know: new-line",
            "telemetry events that this project does not know: new_event"])

    def test_what_is_known_is_not(self):
        program = PROGRAM.replace(b'"NewEvent"', b'"Setup"').replace(b"new-line", b"frame-link").replace(b"new_event", b"tool_result")
        self.assertRegex(unknown.report(program)[0], "^the client has no ")

    def test_a_client_that_cannot_be_read_says_so(self):
        self.assertEqual([line.partition(":")[0] for line in unknown.report(b"\0" * 100)],
                         ["hook events", "transcript lines", "telemetry events"])


if __name__ == "__main__":
    unittest.main()
