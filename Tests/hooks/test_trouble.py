"""The faults of the server and the machine that the flusher must survive without losing anything."""

import contextlib
import glob
import json
import os
import subprocess
import time
import unittest

from support import KEY, MachineCase, numbers, unused_url
from receiver import Receiver


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
        self.assert_received(receiver, 2)
        self.assertEqual(len(set(receiver.ids())), 1)
        self.assertTrue(self.machine.settled())

    def test_connection_dropped_before_the_commit(self):
        receiver = self.receiver(script=["drop"])
        self.fire(self.machine.env(receiver))
        self.assert_received(receiver, 1)

    def test_503_honours_retry_after(self):
        receiver = self.receiver(script=[(503, {"Retry-After": "3"})])
        self.fire(self.machine.env(receiver))
        self.assert_received(receiver, 1)
        self.assertGreaterEqual(receiver.posted_at[1] - receiver.posted_at[0], 2.9)

    def test_429_and_500_are_tried_again(self):
        receiver = self.receiver(script=[(429, {"retry-after": "1"}), 500])
        self.fire(self.machine.env(receiver))
        self.assert_received(receiver, 1)

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
        self.assert_received(receiver, 1)

    def test_gives_up_in_time_and_the_next_event_starts_again(self):
        receiver = self.receiver(script=[500, 500])
        env = self.machine.env(receiver, CLAUDE_MONITOR_GIVE_UP_S="0")
        self.fire(env, b'{"n":0}')
        self.assertTrue(receiver.wait(lambda r: len(r.requests) == 1))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.assertEqual(len(self.machine.spooled()), 1)
        self.fire(self.machine.env(receiver), b'{"n":1}')
        self.assert_received(receiver, 2)
        self.assertEqual(numbers(receiver), [0, 1])

    def test_a_pause_the_server_asked_for_outlives_the_flusher(self):
        receiver = self.receiver(script=[(503, {"Retry-After": "3"})])
        self.fire(self.machine.env(receiver, CLAUDE_MONITOR_GIVE_UP_S="0"))
        self.assertTrue(self.machine.wait(lambda: self.machine.read("retry_at")))
        self.assertTrue(self.machine.wait(self.machine.is_quiet))
        self.fire(self.machine.env(receiver))
        self.assert_received(receiver, 2)
        self.assertGreaterEqual(receiver.posted_at[1] - receiver.posted_at[0], 1.9)


class Refusal(MachineCase):
    def poisoned(self, **options):
        receiver = self.receiver(poison=lambda event: event["data"].get("n") in (3, 17), **options)
        env = self.machine.env(unused_url())
        self.fire_many(env, 20)
        self.machine.kill_flusher()
        self.fire(self.machine.env(receiver), b'{"n":20}')
        self.assert_received(receiver, 19)
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
        self.assert_received(receiver, 1)
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [1])
        kept = glob.glob(glob.escape(self.machine.state) + "/rejected/*.json")
        self.assertEqual([os.path.getsize(path) for path in kept], [65536])

    def test_invalid_json_does_not_block_the_rest(self):
        receiver = self.receiver()
        env = self.machine.env(receiver)
        for body in (b'{"n":0}', b'{"n" 1}', b'{"n":2}'):
            self.fire(env, body)
        self.assert_received(receiver, 2)
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
        self.assert_received(receiver, 2)
        self.assertTrue(self.machine.settled())
        self.assertEqual(numbers(receiver), [0, 1])

    def test_batch_file_deleted_while_it_is_written(self):
        # Another flusher that believes it has the lock deletes all batches. The middle entry is a pipe, so this happens between
        # two lines.
        receiver = self.receiver()
        self.machine.hold_lock()
        env = self.machine.env(receiver)
        self.fire_many(env, 3)
        middle = self.machine.spooled()[1]
        with open(middle, encoding="utf-8") as file:
            line = file.read()
        os.remove(middle)
        os.mkfifo(middle)
        os.remove(self.machine.lock)
        self.fire(env, b'{"n":3}')
        with open(middle, "w", encoding="utf-8") as pipe:
            for batch in glob.glob(glob.escape(self.machine.state) + "/batch.*"):
                os.remove(batch)
            with contextlib.suppress(FileNotFoundError):
                os.remove(middle)
            with open(middle, "w", encoding="utf-8") as file:
                file.write(line)
            pipe.write(line)
        self.assert_received(receiver, 4)
        self.assertTrue(self.machine.settled())
        self.assertEqual(sorted(numbers(receiver)), [0, 1, 2, 3])

    def stale(self, line):
        receiver = self.receiver()
        os.makedirs(self.machine.spool)
        with open(self.machine.lock, "w", encoding="ascii") as file:
            file.write(line)
        env = self.machine.env(receiver)
        for process in [self.machine.start(env) for _ in range(10)]:
            process.communicate(timeout=20)
        self.assert_received(receiver, 10)
        self.assertTrue(self.machine.settled())
        self.assertEqual(len(set(receiver.ids())), 10)

    def dead(self):
        """The line in the lock of a dead process. The kernel never gives this pid to another process."""
        with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
            return "%d %d\n" % (int(file.read()) + 1, time.time())

    def test_lock_of_a_dead_process(self):
        self.stale(self.dead())

    def test_process_killed_while_it_took_a_lock_over(self):
        os.makedirs(self.machine.state, exist_ok=True)
        with open(self.machine.lock + ".successor", "w", encoding="ascii") as file:
            file.write(self.dead())
        self.stale(self.dead())

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
        self.assert_received(receiver, 1)
        self.assertTrue(self.machine.settled())
        self.assertFalse(os.path.exists(leftover))

if __name__ == "__main__":
    unittest.main()
