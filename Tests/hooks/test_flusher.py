"""Delivery: order, once each, whatever the server or the machine does meanwhile."""

import glob
import json
import os
import signal
import subprocess
import time
import unittest

from support import KEY, MachineCase, unused_url
from receiver import Receiver


def numbers(receiver):
    return [event["data"].get("n") for event in receiver.events]


class Delivery(MachineCase):
    def test_one_event_arrives_and_leaves_nothing_behind(self):
        receiver = self.receiver()
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(1))
        self.assertTrue(self.machine.settled())
        headers, body = receiver.requests[0]
        self.assertEqual(headers["Content-Type"], "application/x-ndjson")
        self.assertEqual(headers["Authorization"], "Bearer " + KEY)
        self.assertTrue(body.endswith(b"\n"))
        self.assertEqual(glob.glob(glob.escape(self.machine.state) + "/batch.*"), [])

    def test_events_arrive_in_the_order_of_their_making(self):
        receiver = self.receiver()
        env = self.machine.env(receiver)
        self.fire_many(env, 60)
        self.assertTrue(receiver.wait_events(60))
        self.assertEqual(numbers(receiver), list(range(60)))

    def test_200_parallel_events_arrive_once_each_in_order(self):
        receiver = self.receiver()
        env = self.machine.env(receiver)
        waiting = []
        for number in range(200):
            waiting.append(self.machine.start(env, b'{"n":%d}' % number))
            if len(waiting) == 20:
                waiting.pop(0).communicate(timeout=30)
        for process in waiting:
            process.communicate(timeout=30)
        self.assertTrue(receiver.wait_events(200))
        self.assertTrue(self.machine.settled())
        self.assertEqual(sorted(numbers(receiver)), list(range(200)))
        self.assertEqual(len(set(receiver.ids())), 200)
        stamps = [event["timestamp"] for event in receiver.events]
        self.assertEqual(stamps, sorted(stamps))

    def test_an_event_whose_input_comes_slowly_keeps_its_place(self):
        receiver = self.receiver()
        env = self.machine.env(receiver)
        slow = subprocess.Popen(["sh", "-c", 'sleep 1; echo "{\\"n\\":0}"'], stdout=subprocess.PIPE)
        first = self.machine.popen(env, slow.stdout)
        slow.stdout.close()
        self.assertTrue(self.machine.wait(lambda: glob.glob(glob.escape(self.machine.spool) + "/*.ev")))
        self.fire(env, b'{"n":1}')
        self.assertTrue(receiver.wait_events(2))
        first.wait(10)
        slow.wait(10)
        self.assertEqual(numbers(receiver), [0, 1])

    def test_large_events_are_split_over_requests(self):
        receiver = self.receiver()
        env = self.machine.env(unused_url())
        for number in range(8):
            self.fire(env, b'{"n":%d,"x":"%s"}' % (number, b"x" * 300000))
        self.machine.kill_flusher()
        self.fire(self.machine.env(receiver), b'{"n":8}')
        self.assertTrue(receiver.wait_events(9))
        self.assertEqual(numbers(receiver), list(range(9)))
        self.assertLessEqual(max(len(body) for _, body in receiver.requests), 1 << 20)

    def test_one_flusher_at_a_time(self):
        receiver = self.receiver(script=["hang"])
        env = self.machine.env(receiver)
        self.fire(env)
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        first = self.machine.flusher()
        self.fire_many(env, 5)
        self.assertEqual(self.machine.flusher(), first)
        self.assertEqual(len(receiver.requests), 1)

    def test_flusher_is_detached_and_outlives_a_hangup(self):
        receiver = self.receiver(script=["hang"])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        pid = self.machine.flusher()
        self.assertNotEqual(os.getsid(pid), os.getsid(0))
        os.kill(pid, signal.SIGHUP)
        receiver.release.set()
        self.assertTrue(receiver.wait_events(1))

    def test_key_is_on_no_command_line(self):
        receiver = self.receiver(script=["hang"])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        lines = self.machine.command_lines()
        self.assertIn(b"--data-binary", lines)
        self.assertNotIn(KEY.encode(), lines)
        for directory, _, files in os.walk(self.machine.state):
            for name in files:
                with open(os.path.join(directory, name), "rb") as file:
                    self.assertNotIn(KEY.encode(), file.read())


class Trouble(MachineCase):
    def test_server_away_then_back(self):
        receiver = Receiver()
        receiver.stop()
        env = self.machine.env(receiver.url)
        self.fire_many(env, 5)
        self.assertTrue(self.machine.wait(lambda: self.machine.read("last_error")))
        self.assertEqual(len(self.machine.spooled()), 5)
        again = self.receiver(port=receiver.port)
        self.assertTrue(again.wait_events(5))
        self.assertEqual(numbers(again), list(range(5)))
        self.assertTrue(self.machine.settled())
        self.assertEqual(self.machine.read("last_error"), "")

    def test_answer_lost_after_the_commit_is_sent_again_with_the_same_ids(self):
        receiver = self.receiver(script=["close"])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(2))
        self.assertEqual(len(set(receiver.ids())), 1)
        self.assertTrue(self.machine.settled())

    def test_connection_dropped_before_the_commit(self):
        receiver = self.receiver(script=["drop"])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(1))

    def test_503_honours_retry_after(self):
        receiver = self.receiver(script=[(503, {"Retry-After": "3"})])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(1))
        self.assertGreaterEqual(receiver.posted_at[1] - receiver.posted_at[0], 2.9)

    def test_429_and_500_are_tried_again(self):
        receiver = self.receiver(script=[(429, {"retry-after": "1"}), 500])
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(1))

    def test_refused_key_keeps_the_events_and_a_new_configuration_is_used_at_once(self):
        receiver = self.receiver()
        os.makedirs(os.path.dirname(self.machine.config))
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("url=%s\nkey=cmk_%s\n" % (receiver.url, "1" * 36))
        self.fire(self.machine.env())
        self.assertTrue(self.machine.wait(lambda: "401" in self.machine.read("last_error")))
        self.assertNotIn("1" * 36, self.machine.read("last_error"))
        self.assertEqual(len(self.machine.spooled()), 1)
        time.sleep(0.05)
        with open(self.machine.config, "w", encoding="ascii") as file:
            file.write("url=%s\nkey=%s\n" % (receiver.url, KEY))
        self.assertTrue(receiver.wait_events(1))

    def test_gives_up_in_time_and_the_next_event_starts_again(self):
        receiver = self.receiver(script=[500, 500])
        env = self.machine.env(receiver, CLAUDE_MONITOR_GIVE_UP_S="0")
        self.fire(env, b'{"n":0}')
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        self.assertTrue(self.machine.wait(lambda: not self.machine.flusher()))
        self.assertEqual(len(self.machine.spooled()), 1)
        self.fire(self.machine.env(receiver), b'{"n":1}')
        self.assertTrue(receiver.wait_events(2))
        self.assertEqual(numbers(receiver), [0, 1])

    def test_a_pause_the_server_asked_for_outlives_the_flusher(self):
        receiver = self.receiver(script=[(503, {"Retry-After": "3"})])
        self.fire(self.machine.env(receiver, CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertTrue(self.machine.wait(lambda: self.machine.read("retry_at")))
        self.assertTrue(self.machine.wait(lambda: not self.machine.flusher()))
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(2))
        self.assertGreaterEqual(receiver.posted_at[1] - receiver.posted_at[0], 1.9)


class Refusal(MachineCase):
    def poisoned(self, **options):
        receiver = self.receiver(poison=lambda event: event["data"].get("n") in (3, 17), **options)
        env = self.machine.env(unused_url())
        self.fire_many(env, 20)
        self.machine.kill_flusher()
        self.fire(self.machine.env(receiver), b'{"n":20}')
        self.assertTrue(receiver.wait_events(19))
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [n for n in range(21) if n not in (3, 17)])
        kept = sorted(glob.glob(glob.escape(self.machine.state) + "/rejected/*.json"))
        found = []
        for path in kept:
            with open(path, encoding="utf-8") as file:
                found.append(json.load(file)["data"]["n"])
        self.assertEqual(found, [3, 17])

    def test_poisoned_events_that_sink_the_batch_are_set_aside_alone(self):
        self.poisoned()

    def test_poisoned_events_that_the_answer_lists_are_set_aside(self):
        self.poisoned(per_item=True)

    def test_event_too_large_for_the_server_is_set_aside(self):
        receiver = self.receiver(max_body=200000)
        env = self.machine.env(receiver)
        self.fire(env, b'{"n":0,"x":"%s"}' % (b"x" * 300000))
        self.fire(env, b'{"n":1}')
        self.assertTrue(receiver.wait_events(1))
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [1])
        kept = glob.glob(glob.escape(self.machine.state) + "/rejected/*.json")
        self.assertEqual([os.path.getsize(path) for path in kept], [65536])

    def test_invalid_json_does_not_block_the_rest(self):
        receiver = self.receiver()
        env = self.machine.env(receiver)
        for body in (b'{"n":0}', b'{"n" 1}', b'{"n":2}'):
            self.fire(env, body)
        self.assertTrue(receiver.wait_events(2))
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [0, 2])

    def test_rejected_events_are_bounded(self):
        receiver = self.receiver(poison=lambda event: True, per_item=True)
        env = self.machine.env(unused_url())
        self.fire_many(env, 60)
        self.machine.kill_flusher()
        self.fire(self.machine.env(receiver))
        self.assertTrue(self.machine.settled(30))
        self.assertEqual(len(glob.glob(glob.escape(self.machine.state) + "/rejected/*.json")), 50)


class Crash(MachineCase):
    def test_flusher_killed_in_mid_flight(self):
        receiver = self.receiver(script=["hang"])
        env = self.machine.env(receiver)
        self.fire(env, b'{"n":0}')
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        self.machine.kill_flusher()
        self.assertTrue(os.path.exists(self.machine.lock))
        self.fire(env, b'{"n":1}')
        self.assertTrue(receiver.wait_events(2))
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [0, 1])

    def stale(self, line):
        receiver = self.receiver()
        os.makedirs(self.machine.spool)
        with open(self.machine.lock, "w", encoding="ascii") as file:
            file.write(line)
        env = self.machine.env(receiver)
        for process in [self.machine.start(env) for _ in range(10)]:
            process.communicate(timeout=20)
        self.assertTrue(receiver.wait_events(10))
        self.assertTrue(self.machine.settled())
        self.assertEqual(len(set(receiver.ids())), 10)

    def test_lock_of_a_dead_process(self):
        process = subprocess.Popen(["true"])
        process.wait()
        self.stale("%d %d\n" % (process.pid, time.time()))

    def test_lock_whose_pid_is_another_process_now(self):
        self.stale("%d %d\n" % (os.getpid(), time.time() - 1000))

    def test_lock_that_is_empty(self):
        self.stale("")

    def test_lock_that_holds_garbage(self):
        self.stale("garbage\n")

    def test_leftover_of_a_killed_hook_does_not_block(self):
        receiver = self.receiver()
        os.makedirs(self.machine.spool)
        process = subprocess.Popen(["true"])
        process.wait()
        leftover = "%s/%d.%d.abc.ev" % (self.machine.spool, (time.time() - 1) * 1e6, process.pid)
        with open(leftover, "w", encoding="ascii") as file:
            file.write('{"event_id":')
        self.fire(self.machine.env(receiver))
        self.assertTrue(receiver.wait_events(1))
        self.assertTrue(self.machine.settled())
        self.assertFalse(os.path.exists(leftover))


class Bound(MachineCase):
    def overflow(self, receiver, **settings):
        env = self.machine.env(unused_url(), CLAUDE_MONITOR_GIVE_UP_S="0", **settings)
        self.fire_many(env, 25)
        self.assertTrue(self.machine.wait(lambda: not self.machine.flusher()))
        env = self.machine.env(receiver, **settings)
        self.fire(env, b'{"n":25}')
        self.assertTrue(receiver.wait(lambda r: 25 in numbers(r)))
        self.assertTrue(self.machine.settled())

    def check(self, receiver):
        told = [event for event in receiver.events if event["event_type"] == "spool_dropped"]
        kept = [n for n in numbers(receiver) if n is not None]
        self.assertEqual(kept, list(range(26))[-len(kept):])
        self.assertEqual(sum(event["data"]["dropped"] for event in told), 26 - len(kept))
        self.assertEqual({event["data"]["hook_event_name"] for event in told}, {"MonitorSpoolDropped"})
        return kept, told

    def test_oldest_events_are_dropped_and_their_number_is_told_once(self):
        receiver = self.receiver()
        self.overflow(receiver, MONITOR_SPOOL_MAX_EVENTS="10")
        kept, told = self.check(receiver)
        self.assertLessEqual(len(kept), 11)
        self.fire(self.machine.env(receiver), b'{"n":26}')
        self.assertTrue(receiver.wait(lambda r: 26 in numbers(r)))
        self.assertTrue(self.machine.settled())
        self.assertEqual(len([e for e in receiver.events if e["event_type"] == "spool_dropped"]), len(told))

    def test_bound_in_kibibytes(self):
        receiver = self.receiver()
        self.overflow(receiver, MONITOR_SPOOL_MAX_KIB="60")
        kept, _ = self.check(receiver)
        self.assertLess(len(kept), 20)

    def test_report_whose_answer_got_lost_keeps_its_id(self):
        receiver = self.receiver(script=["close"])
        self.overflow(receiver, MONITOR_SPOOL_MAX_EVENTS="10")
        told = [event for event in receiver.events if event["event_type"] == "spool_dropped"]
        self.assertEqual(told[0], told[1])
        kept = [n for n in numbers(receiver) if n is not None]
        self.assertEqual(sum({e["event_id"]: e["data"]["dropped"] for e in told}.values()), 26 - len(kept))

    def test_interrupted_removal_is_not_counted_twice(self):
        env = self.machine.env()
        self.fire_many(env, 6)
        self.assertTrue(self.machine.wait(lambda: not self.machine.flusher()))
        until = os.path.basename(self.machine.spooled()[3])[:-3]
        with open(os.path.join(self.machine.state, "dropped"), "w", encoding="ascii") as file:
            file.write("4 - 0 - %s\n" % until)
        receiver = self.receiver()
        self.fire(self.machine.env(receiver), b'{"n":6}')
        self.assertTrue(receiver.wait(lambda r: 6 in numbers(r)))
        self.assertEqual(receiver.events[0]["data"]["dropped"], 4)
        self.assertEqual(numbers(receiver)[1:], [4, 5, 6])


if __name__ == "__main__":
    unittest.main()
