"""Delivery: in order and once each; and the bounds of the spool."""

import glob
import os
import signal
import subprocess
import unittest

from support import BASH, HOOKS, KEY, MachineCase, numbers, unused_url


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
        # The events of each request are in the order of time. Across requests they may not be: at most 20 hooks run at
        # once, and the flusher may send one hook's entry before another hook, which began earlier, has written its own.
        # So an event is at most 19 places late.
        for batch in receiver.batches:
            stamps = [event["timestamp"] for event in batch]
            self.assertEqual(stamps, sorted(stamps))
        latest = -1
        for number in numbers(receiver):
            self.assertGreater(number, latest - 20, numbers(receiver))
            latest = max(latest, number)

    def test_a_lock_that_is_refreshed_always_names_its_owner(self):
        # Another flusher takes over an empty lock. Then both send the same events.
        lock = os.path.join(self.machine.home, "lock")
        script = ('. "$1/lib/common.sh"; . "$1/lib/stamp.sh"; . "$1/lib/lock.sh"; lock=$2\n'
                  'printf "%s 1000000000\\n" $$ >"$lock"; echo; for ((i = 0; i < 5000; i++)); do lock_refresh || exit 1; done')
        owner = subprocess.Popen([BASH, "-c", script, "test", HOOKS, lock], stdout=subprocess.PIPE, env=self.machine.env())
        owner.stdout.readline()
        seen = set()
        while owner.poll() is None:
            with open(lock, encoding="ascii") as file:
                seen.add(file.read().partition(" ")[0])
        owner.stdout.close()
        self.assertEqual((owner.returncode, seen), (0, {str(owner.pid)}))

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

    def test_flusher_is_no_process_of_the_session(self):
        receiver = self.receiver(script=["hang"])
        self.fire({**self.machine.env(receiver), "CLAUDE_MONITOR_RUNNER": "0d5a2f0e-6a0f-4a57-8f0d-3f1f0a7b9c11"})
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        with open(f"/proc/{self.machine.flusher()}/environ", "rb") as file:
            names = [entry.partition(b"=")[0] for entry in file.read().split(b"\0")]
        self.assertNotIn(b"CLAUDE_MONITOR_RUNNER", names)
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


class Bound(MachineCase):
    def overflow(self, receiver, **settings):
        env = self.machine.env(unused_url(), CLAUDE_MONITOR_GIVE_UP_S="0", **settings)
        self.fire_many(env, 25)
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
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
        self.overflow(receiver, CLAUDE_MONITOR_SPOOL_MAX_EVENTS="10")
        kept, told = self.check(receiver)
        self.assertLessEqual(len(kept), 11)
        self.fire(self.machine.env(receiver), b'{"n":26}')
        self.assertTrue(receiver.wait(lambda r: 26 in numbers(r)))
        self.assertTrue(self.machine.settled())
        self.assertEqual(len([e for e in receiver.events if e["event_type"] == "spool_dropped"]), len(told))

    def test_bound_in_kibibytes(self):
        receiver = self.receiver()
        self.overflow(receiver, CLAUDE_MONITOR_SPOOL_MAX_KIB="60")
        kept, _ = self.check(receiver)
        self.assertLess(len(kept), 20)

    def test_report_whose_answer_got_lost_keeps_its_id(self):
        receiver = self.receiver(script=["close"])
        self.overflow(receiver, CLAUDE_MONITOR_SPOOL_MAX_EVENTS="10")
        told = [event for event in receiver.events if event["event_type"] == "spool_dropped"]
        self.assertEqual(told[0], told[1])
        kept = [n for n in numbers(receiver) if n is not None]
        self.assertEqual(sum({e["event_id"]: e["data"]["dropped"] for e in told}.values()), 26 - len(kept))

    def test_interrupted_removal_is_not_counted_twice(self):
        self.machine.hold_lock()
        self.fire_many(self.machine.env(), 6)
        os.remove(self.machine.lock)
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
