"""The comparison finds the faults that it is made for. The tests need neither server nor client."""

import unittest

from compare import content_faults, multiset_faults, order_faults, repaired, session_faults


def hook(event, **fields):
    return {"session_id": "s", "hook_event_name": event, "prompt_id": "p", **fields}


def call(event, number, **fields):
    return hook(event, tool_name="Bash", tool_input={"command": str(number)}, tool_use_id=f"t{number}", **fields)


FIRED = [hook("UserPromptSubmit", prompt="go\non"), call("PreToolUse", 1), call("PreToolUse", 2),
         call("PostToolUse", 1), call("PostToolUse", 2), hook("Stop"), hook("SessionEnd", reason="other")]


def moved(place, to):
    kept = list(FIRED)
    kept.insert(to, kept.pop(place))
    return kept


class Comparison(unittest.TestCase):
    def test_equal_lists_have_no_faults(self):
        for faults in (multiset_faults, content_faults, order_faults):
            self.assertEqual(faults(FIRED, list(FIRED), "here"), [])

    def test_a_lost_event_is_found(self):
        self.assertEqual(multiset_faults(FIRED, FIRED[:3] + FIRED[4:], "here"),
                         ["here: PostToolUse Bash t1 is missing 1 times"])

    def test_a_doubled_event_is_found(self):
        self.assertEqual(multiset_faults(FIRED, FIRED + FIRED[-2:-1], "here"),
                         ["here: Stop is there 1 times too often"])

    def test_changed_content_is_found(self):
        kept = [{**FIRED[0], "prompt": "go"}, *FIRED[1:]]
        self.assertEqual(content_faults(FIRED, kept, "here"),
                         ["here: UserPromptSubmit differs in ['prompt'], has in addition []"])

    def test_only_what_cannot_be_stored_may_differ(self):
        self.assertEqual(repaired({"a\0": ["\ud83d x", "\U0001f680"]}), {"a\ufffd": ["\ufffd x", "\U0001f680"]})

    def test_steps_of_one_call_have_an_order(self):
        self.assertEqual(order_faults(FIRED, moved(3, 1), "here"),
                         ["here: PostToolUse Bash t1 stands before PreToolUse Bash t1"])

    def test_calls_at_the_same_time_have_none(self):
        self.assertEqual(order_faults(FIRED, moved(2, 1), "here"), [])
        self.assertEqual(order_faults(FIRED, moved(4, 3), "here"), [])

    def test_a_turn_ends_after_its_calls(self):
        self.assertEqual(order_faults(FIRED, moved(5, 4), "here"), ["here: Stop stands before PostToolUse Bash t2"])

    def test_subagents_and_notifications_have_no_order_with_the_main_agent(self):
        for other in (call("PreToolUse", 3, agent_id="a", agent_type="x"), hook("Notification")):
            self.assertEqual(order_faults([*FIRED, other], [other, *FIRED], "here"), [])

    def test_a_wrong_session_is_found(self):
        session = {"status": "ended", "state": "idle", "end_reason": "other", "message_count": 2, "tool_call_count": 2,
                   "title": "go"}
        self.assertEqual(session_faults(FIRED, session), [])
        self.assertEqual(session_faults(FIRED, session | {"tool_call_count": 3}),
                         ["session tool_call_count: 3 instead of 2"])


if __name__ == "__main__":
    unittest.main()
