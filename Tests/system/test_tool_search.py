"""The search of tools, judged by requests that were written before it: fixtures/search_requests.tsv.

Every second request was used to choose the numbers of the ranking. The others say how good it is.
"""

import pathlib
import unittest

import test_mcp_tools as endpoint
import test_tools as tools
from test_tools import told

FIXTURES = pathlib.Path(__file__).parent / "fixtures"
MISTAKES = {
    "shedule a mesage": "slack.schedule_message", "mrege pull requst": "github.merge_pull_request",
    "kuberntes pod logs": "kubernetes.pods_log", "convrt time": "time.convert_time", "calender events": "calendar.list_events",
    "fork repostory": "github.fork_repository", "screnshot": "playwright.browser_take_screenshot",
    "sprintf thermostt": "homeassistant.climate_set_temperature", "refnud": "stripe.create_refund",
    "wether forecst": "weather.get_forecast"}


def setUpModule():
    endpoint.setUpModule()


def tearDownModule():
    endpoint.tearDownModule()


def rows(name):
    return [line.split("\t") for line in (FIXTURES / name).read_text().splitlines()]


def servers():
    """The tools of realistic servers: name, description, arguments."""
    found = {}
    for server, name, description, arguments in rows("search_tools.tsv"):
        properties = {}
        for argument in filter(None, arguments.split(", ")):
            word, _, meaning = argument.partition(": ")
            properties[word.replace(" ", "_")] = {"type": "string"} | ({"description": meaning} if meaning else {})
        found.setdefault(server, []).append(
            {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}})
    return found


class Searches(endpoint.Endpoint):
    def setUp(self):
        super().setUp()
        self.refresh(*(told(name, *found) for name, found in servers().items()))

    def first(self, words, limit=10):
        found = self.get("/v1/tools", machine_id=self.name, q=words, limit=limit)["tools"]
        return [tool["name"] for tool in found]

    def place(self, words, wanted):
        found = self.first(words)
        return min((found.index(name) + 1 for name in wanted if name in found), default=99)

    def test_requests_find_their_tools(self):
        places = [(self.place(words, wanted.split(" ")), words) for words, wanted in rows("search_requests.tsv")]
        for half, first, in_five, in_ten in ((places[::2], 16, 29, 30), (places[1::2], 17, 24, 26)):
            numbers = [sum(place <= bound for place, _ in half) for bound in (1, 5, 10)]
            print(f"first, in 5 and in 10 of {len(half)}: {numbers}; not in 5: {[words for place, words in half if place > 5]}")
            for number, least in zip(numbers, (first, in_five, in_ten)):
                self.assertGreaterEqual(number, least, numbers)

    def test_mistakes_in_writing(self):
        for words, wanted in MISTAKES.items():
            self.assertLessEqual(self.place(words, [wanted]), 5, (words, self.first(words)))
        self.assertEqual(self.first("qqqqqqqq zzzzzzzz"), [])

    def test_both_doors_find_the_same(self):
        for words in ("open a PR", "shedule a mesage", "list the files of a directory"):
            by_rest = self.first(words)
            found = self.call("search_tools", {"query": words, "machine_id": self.name}, credential=self.server.admin)
            listed = found.whole()["result"]["structuredContent"]["tools"]
            self.assertEqual([f"{tool['server']}.{tool['name'].partition('__')[2]}" for tool in listed], by_rest)

    def test_a_change_counts_at_once(self):
        self.assertEqual(self.first("zeppelin"), [])
        self.refresh(told("air", {"name": "start_zeppelin", "description": "Flies.", "inputSchema": {"type": "object"}}))
        self.assertEqual(self.first("zeppelin"), ["air.start_zeppelin"])
        self.refresh(told("sea", {"name": "swim", "description": "Swims.", "inputSchema": {"type": "object"}}))
        self.assertEqual(self.first("zeppelin"), [])


if __name__ == "__main__":
    unittest.main()
