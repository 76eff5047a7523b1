"""Days and hours in a person's time zone, in figures and budgets."""

import datetime
import unittest
import zoneinfo

import telemetry
from harness import Client, Postgres, Server, end_everything, session, wait_for

UTC = datetime.timezone.utc
# Zones whose offset has minutes (also 45), is negative, or changes with daylight saving time.
ZONES = ["UTC", "Asia/Tokyo", "Asia/Kathmandu", "Asia/Kolkata", "America/St_Johns", "America/New_York", "Australia/Lord_Howe",
         "Pacific/Kiritimati", "Etc/GMT+12"]


def setUpModule():
    global cluster, server, key
    cluster = Postgres().start()
    server = Server(DATABASE_URL=cluster.url, MONITOR_RATE_LIMIT="off").start()
    key = server.key("clock")


def tearDownModule():
    end_everything()


def spend(*moments):
    """A session with one request at each of these times."""
    chosen = session()
    records = [telemetry.request(chosen, f"{chosen}-{number}", number, at=int(moment.timestamp() * 1e9))
               for number, moment in enumerate(moments)]
    client = Client(server.address, key)
    answer = client.request("POST", "/v1/logs", telemetry.logs(*records))
    client.close()
    assert answer.status == 200, answer
    return chosen


def utc(*parts):
    return datetime.datetime(*parts, tzinfo=UTC)


def groups(chosen, by, zone, **more):
    query = f"/v1/usage?session_id={chosen}&by={by}&timezone={zone}" + "".join(f"&{name}={value}" for name, value in more.items())
    answer = server.read_derived(query.replace("+", "%2B"))
    assert answer.status == 200, answer
    return [(group["key"], group["requests"]) for group in answer.json["groups"]]


class Usage(unittest.TestCase):
    def test_a_late_request_is_of_the_next_day_in_the_east(self):
        chosen = spend(utc(2026, 11, 10, 22, 30))
        self.assertEqual(groups(chosen, "day", "Asia/Tokyo"), [("2026-11-11", 1)])
        self.assertEqual(groups(chosen, "day", "UTC"), [("2026-11-10", 1)])
        self.assertEqual(server.get(f"/v1/usage?session_id={chosen}&by=day").json["groups"][0]["key"], "2026-11-10")

    def test_days_and_hours_of_every_zone(self):
        """The expected values come from Python's own calendar: half a year, every 5 hours and 47 minutes."""
        moments = [utc(2026, 3, 1) + number * datetime.timedelta(hours=5, minutes=47) for number in range(1100)]
        chosen = spend(*moments)
        for zone in ZONES:
            local = [moment.astimezone(zoneinfo.ZoneInfo(zone)) for moment in moments]
            days, hours = {}, {}
            for moment in local:
                days[moment.date().isoformat()] = days.get(moment.date().isoformat(), 0) + 1
                offset = moment.isoformat()[19:]
                hour = moment.strftime("%Y-%m-%dT%H:00:00") + ("Z" if zone == "UTC" else offset)
                hours[hour] = hours.get(hour, 0) + 1
            with self.subTest(zone):
                self.assertEqual(groups(chosen, "day", zone), list(days.items()))
                self.assertEqual(groups(chosen, "hour", zone), list(hours.items()))

    def test_days_of_23_and_25_hours(self):
        for day, hours in (("2026-03-08", 23), ("2026-11-01", 25)):
            start = datetime.datetime.fromisoformat(day).replace(tzinfo=zoneinfo.ZoneInfo("America/New_York")).astimezone(UTC)
            chosen = spend(*(start + datetime.timedelta(hours=hour) for hour in range(-1, hours + 1)))
            found = dict(groups(chosen, "day", "America/New_York"))
            self.assertEqual(found[day], hours)
            self.assertEqual(dict(groups(chosen, "day", "America/New_York", **{"from": day, "to": day})), {day: hours})
            in_hours = groups(chosen, "hour", "America/New_York", **{"from": day, "to": day})
            self.assertEqual([count for _, count in in_hours], [1] * hours)
        # The hour that comes twice makes two groups.
        self.assertIn(("2026-11-01T01:00:00-04:00", 1), in_hours)
        self.assertIn(("2026-11-01T01:00:00-05:00", 1), in_hours)

    def test_dates_are_days_of_the_zone(self):
        chosen = spend(utc(2026, 11, 10, 18, 14), utc(2026, 11, 10, 18, 15), utc(2026, 11, 11, 18, 14), utc(2026, 11, 11, 18, 15))
        day = {"from": "2026-11-11", "to": "2026-11-11"}
        self.assertEqual(groups(chosen, "day", "Asia/Kathmandu", **day), [("2026-11-11", 2)])
        self.assertEqual(groups(chosen, "day", "UTC", **day), [("2026-11-11", 2)])
        found = server.get(f"/v1/usage?session_id={chosen}&timezone=Asia/Kathmandu&from=2026-11-11&to=2026-11-11").json
        self.assertEqual((found["from"][:19], found["to"][:19]), ("2026-11-10T18:15:00", "2026-11-11T18:15:00"))

    def test_windows_begin_at_full_hours_of_the_zone(self):
        moment = datetime.datetime.now(UTC).replace(second=0, microsecond=0) - datetime.timedelta(hours=1)
        machine = f"window-{moment.minute}"
        client = Client(server.address, server.key(machine))
        answer = client.request("POST", "/v1/logs", telemetry.logs(telemetry.request(
            session(), f"w-{session()}", 0, at=int(moment.timestamp() * 1e9))))
        self.assertEqual(answer.status, 200, answer)
        for zone in ("UTC", "Asia/Kolkata", "Asia/Kathmandu"):
            start = moment.astimezone(zoneinfo.ZoneInfo(zone)).replace(minute=0).astimezone(UTC)
            found = server.get(f"/v1/usage/windows?machine={machine}&timezone={zone}").json
            self.assertIn(start.strftime("%Y-%m-%dT%H:%M:%S"), str(found), zone)

    def test_a_name_that_is_no_zone_is_refused(self):
        for path in ("/v1/usage", "/v1/stats", "/v1/usage/windows"):
            for zone in ("Mars/Olympus", "Foo%2B3", "", "a'b", "Europe", "posix/Europe/Berlin", "x" * 100, "europe/berlin"):
                answer = server.get(f"{path}?timezone={zone}")
                self.assertEqual((answer.status, answer.json.get("error", {}).get("param")), (400, "timezone"), (zone, answer))
                self.assertEqual(answer.json["error"]["code"], "invalid_parameter")
            self.assertEqual(server.get(f"{path}?timezone=Europe/Berlin").status, 200)


class Statistics(unittest.TestCase):
    def rows(self, zone, by="day"):
        answer = server.get(f"/v1/stats?from=2026-03-01&to=2026-05-20&by={by}&timezone={zone}")
        assert answer.status == 200, answer
        return {row["key"]: row["events"] for row in answer.json["data"] if row.get("events")}

    def test_stored_counts_are_of_every_zones_days(self):
        """The server stores the counts of events by quarter hours of their receipt."""
        start = utc(2026, 3, 1)
        cluster.sql("DELETE FROM event_counts WHERE day < '2026-06-01'")
        values, moments = [], []
        for number in range(80 * 96 // 7):
            moment = start + number * datetime.timedelta(minutes=15 * 7)
            moments.append(moment)
            quarter = moment.hour * 4 + moment.minute // 15
            values.append(f"('{moment.date()}', 1, '', '', 1, 0, 0, 0, {quarter})")
        cluster.sql("INSERT INTO event_counts (day, machine_id, workspace_id, tool_name, events, prompts, tool_calls, tool_failures,"
                    f" quarter) VALUES {','.join(values)}")
        for zone in ZONES:
            expected = {}
            for moment in moments:
                day = moment.astimezone(zoneinfo.ZoneInfo(zone)).date().isoformat()
                if "2026-03-01" <= day <= "2026-05-20":
                    expected[day] = expected.get(day, 0) + 1
            with self.subTest(zone):
                self.assertEqual(self.rows(zone.replace("+", "%2B")), expected)

    def test_an_event_is_counted_in_its_quarter(self):
        chosen = session()
        client = Client(server.address, key)
        answer = client.request("POST", "/api/hooks", {"hook_event_name": "Stop", "session_id": chosen, "cwd": "/srv/zone"})
        self.assertEqual(answer.status, 200, answer)

        def quarter():
            return cluster.sql("SELECT day + quarter * interval '15 minutes' FROM event_counts WHERE workspace_id IN"
                               " (SELECT id FROM workspaces WHERE path = '/srv/zone')")
        stored = datetime.datetime.fromisoformat(wait_for(quarter, "the event is counted")[0])
        received = datetime.datetime.fromisoformat(server.events(f"session_id={chosen}")[0]["received_at"]).replace(tzinfo=None)
        self.assertTrue(datetime.timedelta() <= received - stored < datetime.timedelta(minutes=15), (received, stored))

    def test_clocks_may_change_within_a_minute(self):
        """The clocks of Monrovia changed at 00:44:30 UTC."""
        answer = server.get("/v1/stats?from=1972-01-01&to=1972-01-31&timezone=Africa/Monrovia")
        self.assertEqual((answer.status, answer.json.get("data")), (200, []))

    def test_the_last_day_is_today_there(self):
        for zone in ("Pacific/Kiritimati", "Etc/GMT%2B12", "UTC"):
            before = datetime.datetime.now(zoneinfo.ZoneInfo(zone.replace("%2B", "+"))).date()
            found = server.get(f"/v1/stats?timezone={zone}").json
            after = datetime.datetime.now(zoneinfo.ZoneInfo(zone.replace("%2B", "+"))).date()
            self.assertIn(found["to"], (before.isoformat(), after.isoformat()))
            self.assertEqual((datetime.date.fromisoformat(found["to"]) - datetime.date.fromisoformat(found["from"])).days, 29)


class Budgets(unittest.TestCase):
    def test_the_day_of_a_budget(self):
        """The test uses a zone whose day began within the last hour."""
        now = datetime.datetime.now(UTC)
        # Etc/GMT-5 is five hours ahead of UTC.
        fresh = f"Etc/GMT+{now.hour}" if now.hour <= 12 else f"Etc/GMT-{24 - now.hour}"
        own = Server(MONITOR_TIMEZONE=fresh).start()
        credential = own.key("budget")
        start = now.astimezone(zoneinfo.ZoneInfo(fresh)).replace(hour=0, minute=0, second=0, microsecond=0)
        client = Client(own.address, credential)
        chosen = session()
        records = [telemetry.request(chosen, f"{chosen}-{number}", number, at=int((start + shift).timestamp() * 1e9), cost=cost)
                   for number, (shift, cost) in enumerate([(datetime.timedelta(seconds=-1), 5), (datetime.timedelta(), 3)])]
        self.assertEqual(client.request("POST", "/v1/logs", telemetry.logs(*records)).status, 200)
        wait_for(lambda: b"monitor_cost_today_usd 3\n" in own.get("/metrics").body, "the day's cost is that of the zone's day")
        own.stop()

    def test_a_zone_that_is_none_is_a_fault(self):
        """Also invalid are the other entries in the directory of zones: directories, tables and copies."""
        for name in ("Mars/Olympus", "Europe", "tzdata.zi", "zone1970.tab", "leapseconds", "posix/Europe/Berlin", "right/UTC"):
            with self.subTest(name), self.assertRaisesRegex(AssertionError, "MONITOR_TIMEZONE"):
                Server(MONITOR_TIMEZONE=name).start()
