"""What was sent, what was acknowledged, and the number of each kind of answer."""

import os
import threading
import time
from collections import Counter
from dataclasses import dataclass


def uuid7():
    """RFC 9562 section 5.7."""
    moment = int(time.time() * 1000).to_bytes(6, "big")
    tail = bytearray(os.urandom(10))
    tail[0] = 0x70 | tail[0] & 0x0F
    tail[2] = 0x80 | tail[2] & 0x3F
    text = (moment + tail).hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


@dataclass(frozen=True)
class Sent:
    producer: str
    counter: int
    session: str
    hook: str


class Ledger:
    """All producers share it."""

    def __init__(self):
        self.sent = {}
        self.acknowledged = {}
        self.unanswered = set()
        self.refused = set()
        self.answers = Counter()
        self.spooled = set()
        self.faults = []
        self.unasked_seconds = 0.0
        self._lock = threading.Lock()
        self._last_start = 0.0

    def send(self, events):
        """`events` maps each id to what is sent with it."""
        with self._lock:
            self.sent.update(events)
            self.unanswered.update(event_id for event_id, _ in events)

    def remember(self, event_id, sent):
        """Records events that are sent without an acknowledgement."""
        with self._lock:
            self.sent[event_id] = sent

    def count(self, what, number=1):
        with self._lock:
            self.answers[what] += number

    def fault(self, text):
        with self._lock:
            if len(self.faults) < 50:
                self.faults.append(text)

    def accept(self, identifiers, answer, started):
        """Records a 202. `started` is the monotonic time at which its request began."""
        spooled = answer.get("durability") == "spooled"
        listed = answer.get("events") or []
        if [item.get("event_id") for item in listed] != list(identifiers) and not (spooled and not listed):
            return self.fault(f"a 202 that does not list the request's events in order: {str(answer)[:300]}")
        with self._lock:
            if not spooled:
                self._last_start = max(self._last_start, started)
            self.answers["202 spooled" if spooled else "202"] += 1
            for event_id, item in zip(identifiers, listed or [{}] * len(identifiers)):
                status = item.get("status", "spooled")
                self.answers[f"event {status}"] += 1
                if status == "rejected":
                    self.faults.append(f"{event_id} rejected: {str(item)[:200]}")
                    continue
                self.unanswered.discard(event_id)
                self.acknowledged[event_id] = item.get("seq")
                if spooled:
                    self.spooled.add(event_id)
        return None

    def committed_since(self, moment):
        """True if a request that began after this moment was acknowledged as committed."""
        with self._lock:
            return self._last_start > moment

    def abandon(self, identifiers, was_refused):
        """Records that the events are not sent again. `was_refused`: the last answer was a 503, so the server stored
        nothing."""
        with self._lock:
            self.unanswered.difference_update(identifiers)
            if was_refused:
                self.refused.update(identifiers)

    def open_count(self):
        with self._lock:
            return len(self.unanswered)
