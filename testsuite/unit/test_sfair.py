#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/python/sfair.py, with a socket of the test's own and no munged."""

import base64
import contextlib
import functools
import hashlib
import json
import math
import os
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

top = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "contrib", "python"))
sys.dont_write_bytecode = True

import sfair  # noqa: E402

LEASE = {"job": 10, "run": 0, "phase": "leased", "revocable": True,
         "remaining_sec": 300.0}


def place(**more):
    env = {"ASTRAEA_POOL": "gpu", "SLURM_JOB_ID": "10", "SLURM_PROCID": "0",
           "ASTRAEA_SOCKET": "/nonexistent", "ASTRAEA_LEASE_GRACE": "60",
           "ASTRAEA_CHECKPOINT_SIGNAL": "USR2"}
    env.update(more)
    return env


class Server(threading.Thread):
    """Answers each connection by a function of its request."""

    def __init__(self, answer, family=socket.AF_UNIX):
        super().__init__(daemon=True)
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "a.sock")
        self.answer = answer
        self.requests = []
        self.listener = socket.socket(family)
        if family == socket.AF_UNIX:
            self.listener.bind(self.path)
        else:
            self.listener.bind(("127.0.0.1", 0))
            self.path = self.listener.getsockname()[1]
        self.listener.listen()
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb") as stream:
                size, = struct.unpack(">I", stream.read(4))
                self.requests.append(json.loads(stream.read(size)))
                try:
                    stream.write(self.answer(self.requests[-1]))
                    stream.flush()
                except OSError:
                    pass

    def close(self):
        self.listener.close()
        self.folder.cleanup()


def frame(reply):
    text = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    return struct.pack(">I", len(text)) + text


def good(request):
    return frame({"astraea": 1, "lease": LEASE, "report_sec": 10})


class WithServer(unittest.TestCase):
    def setUp(self):
        self.sign, sfair.sign = sfair.sign, lambda message, munge: message

    def tearDown(self):
        sfair.sign = self.sign

    def client(self, answer=good, **more):
        server = Server(answer)
        self.addCleanup(server.close)
        env = place(ASTRAEA_SOCKET=server.path, **more)
        return sfair.Client(env), server.requests

    def test_requests_are_as_the_protocol_says(self):
        client, requests = self.client(SLURM_RESTART_COUNT="3")
        self.assertTrue(client.checkpointed(42))
        client.progress(100, 1000, 0.5, 2.25)
        for _ in range(100):
            if len(requests) == 2:
                break
            time.sleep(0.02)
        self.assertEqual(requests, [
            {"astraea": 1, "request": "checkpointed", "job": 10, "run": 3,
             "step": 42},
            {"astraea": 1, "request": "progress", "job": 10, "run": 3,
             "done": 100, "total": 1000, "iter_sec": 0.5, "loss": 2.25}])

    def test_agents_ask_and_bid(self):
        client, requests = self.client(
            lambda r: frame({"astraea": 1, "app": {"app": "search"}}))
        self.assertEqual(client.offer()["app"], {"app": "search"})
        client.offer("search", user=1001)
        client.offer(job=12)
        client.bid({"slot": [2, math.inf]}, [12, 11], math.inf, app="search")
        client.bid(jobs=(12,))
        self.assertEqual(requests, [
            {"astraea": 1, "request": "offer", "job": 10},
            {"astraea": 1, "request": "offer", "app": "search",
             "user": "1001"},
            {"astraea": 1, "request": "offer", "job": 12},
            {"astraea": 1, "request": "bid", "app": "search",
             "rho": {"slot": [2, "inf"]}, "rho_now": "inf",
             "jobs": [12, 11]},
            {"astraea": 1, "request": "bid", "job": 10, "jobs": [12]}])

    def test_agents_are_told_what_is_wrong(self):
        client, requests = self.client(lambda r: frame(
            {"astraea": 1, "error": {"code": "denied", "text": "no"}}))
        with self.assertRaises(sfair.Refused) as why:
            client.bid({"slot": [1]})
        self.assertEqual(why.exception.code, "denied")
        for bad in (-1, math.nan, "x"):
            with self.assertRaises(ValueError):
                client.bid({"slot": [bad]})
        with self.assertRaises(ValueError):
            sfair.Client(place(ASTRAEA_POOL="")).offer()
        with self.assertRaises(OSError):
            sfair.Client({}).offer("search")
        with self.assertRaises(OSError):
            sfair.Client(place()).offer("search")
        self.assertEqual(len(requests), 1)

    def test_what_remains_is_asked_for_and_kept(self):
        client, requests = self.client()
        left = client.lease_remaining()
        self.assertTrue(295 < left <= 300)
        for _ in range(100):
            self.assertLessEqual(client.lease_remaining(), left)
        self.assertEqual(requests, [
            {"astraea": 1, "request": "remaining", "job": 10}])

    def test_a_job_that_is_never_taken_back_has_no_end(self):
        client, _ = self.client(lambda r: frame(
            {"lease": dict(LEASE, remaining_sec=None), "report_sec": 10}),
            ASTRAEA_LEASE_END=str(int(time.time()) + 100))
        self.assertEqual(client.lease_remaining(), math.inf)

    def test_the_last_round_may_be_from_before_the_start(self):
        client, _ = self.client(
            lambda r: frame({"lease": dict(LEASE, phase="waiting")}),
            ASTRAEA_LEASE_END=str(int(time.time()) + 100))
        self.assertTrue(client.checkpointed(1))
        self.assertTrue(50 < client.lease_remaining() <= 100)

    def test_a_replaced_run_is_told(self):
        client, requests = self.client(lambda r: frame(
            {"error": {"code": "stale", "text": "run 0 has ended"}}))
        with self.assertRaisesRegex(sfair.Stale, "run 0 has ended"):
            client.checkpointed(1)
        with self.assertRaises(sfair.Stale):
            client.checkpointed(2)
        self.assertEqual(client.lease_remaining(), 0)
        self.assertEqual(len(requests), 1)

    def test_a_refusal_is_told_once(self):
        client, requests = self.client(lambda r: frame(
            {"error": {"code": "denied", "text": "only its owner"}}))
        self.assertFalse(client.checkpointed(1))
        self.assertEqual(client.error(), "only its owner")
        time.sleep(0.1)
        self.assertEqual(len(requests), 1)

    def test_who_is_busy_is_asked_again(self):
        busy = frame(b'{"astraea":1,"error":{"code":"busy","text":"later"}}')
        replies = [busy, busy]
        client, requests = self.client(
            lambda r: replies.pop() if replies else good(r))
        self.assertTrue(client.checkpointed(1))
        self.assertEqual(len(requests), 3)
        server = Server(lambda r: busy, socket.AF_INET)
        self.addCleanup(server.close)
        with self.assertRaisesRegex(OSError, "not signed.*busy"):
            sfair.exchange(sfair.Place(place(
                ASTRAEA_ADDRESS=f"0@127.0.0.1:{server.path}")), {})
        self.assertEqual(len(server.requests), 6)

    def test_no_reply_of_any_kind_does_harm(self):
        for reply in (b"", b"\0\0", frame(b""), frame(b"{"), frame(b"[]"),
                      frame(b"[" * 100000), frame({}), frame({"error": 7}),
                      frame({"lease": 7}), struct.pack(">I", 0xffffffff),
                      frame({"lease": {"phase": 7, "remaining_sec": "x"}}),
                      frame({"lease": LEASE, "report_sec": -1}),
                      frame(b"\xff\xfe"), frame(b'{"lease":NaN}')):
            client, _ = self.client(lambda r: reply)
            client.progress(1, 2)
            client.checkpointed(1)
            self.assertGreaterEqual(client.lease_remaining(), 0)


class OverTheNetwork(unittest.TestCase):
    """munge's part is a word before the message here, and a uid."""

    def setUp(self):
        self.before = sfair.sign, sfair.verify
        sfair.sign = lambda message, munge: message

        def verify(text, munge):
            uid, _, message = text[6:].partition(b":")
            return message, int(uid)
        sfair.verify = verify

    def tearDown(self):
        sfair.sign, sfair.verify = self.before

    def ask(self, prefix, address="4711@127.0.0.1:1,127.0.0.1:{}",
            bind=lambda credential: hashlib.sha256(credential).hexdigest()):
        def answer(request):
            # A dict keeps the order of its keys, so this is what was sent.
            to = bind(json.dumps(request).encode())
            bound = b'{"to":"%s",' % to.encode() if to is not None else b"{"
            return frame(prefix + bound + good(request)[5:])
        server = Server(answer, socket.AF_INET)
        self.addCleanup(server.close)
        return sfair.exchange(sfair.Place(place(
            ASTRAEA_ADDRESS=address.format(server.path))), {})

    def test_an_answer_is_to_this_request(self):
        with self.assertRaisesRegex(OSError, "answers another request"):
            self.ask(b"MUNGE:0:", bind=lambda _: "0" * 64)
        with self.assertRaisesRegex(OSError, "has an older Astraea"):
            self.ask(b"MUNGE:0:", bind=lambda _: None)

    def test_slurmuser_and_root_are_believed(self):
        self.assertEqual(self.ask(b"MUNGE:4711:")["lease"], LEASE)
        self.assertEqual(self.ask(b"MUNGE:0:")["lease"], LEASE)

    def test_nobody_else_is(self):
        with self.assertRaisesRegex(OSError, "uid 4712 answers"):
            self.ask(b"MUNGE:4712:")
        with self.assertRaisesRegex(OSError, "uid 4711 answers"):
            self.ask(b"MUNGE:4711:", "127.0.0.1:{}")
        with self.assertRaisesRegex(OSError, "not signed"):
            self.ask(b"")

    def test_an_address_that_is_none_does_no_harm(self):
        for bad in ("x", "@", "1@", ":", "127.0.0.1:x", "127.0.0.1:1", ","):
            client = sfair.Client(place(ASTRAEA_ADDRESS=bad))
            self.assertFalse(client.checkpointed(1))
            self.assertTrue(client.error())

    def test_a_socket_of_this_host_goes_first(self):
        server = Server(good)
        env = place(ASTRAEA_SOCKET=server.path, ASTRAEA_ADDRESS="4711@h:1")
        self.assertEqual(sfair.Place(env).socket, "4711@" + server.path)
        env["ASTRAEA_ADDRESS"] = "h:1"
        self.assertEqual(sfair.Place(env).socket, server.path)
        server.close()
        self.assertEqual(sfair.Place(env).socket, "h:1")


@unittest.skipIf(os.geteuid(), "only root can be another user")
class WhoListens(unittest.TestCase):
    def setUp(self):
        self.sign, sfair.sign = sfair.sign, lambda message, munge: message
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o1777)
        self.path = os.path.join(self.folder.name, "a.sock")
        self.child = 0

    def tearDown(self):
        sfair.sign = self.sign
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.folder.cleanup()

    def listen_as(self, uid):
        """Somebody answers at the socket, as the plugin would."""
        ready, begun = os.pipe()
        self.child = os.fork()
        if self.child:
            os.read(ready, 1)
            return
        signal.alarm(60)  # whoever started it may be gone
        os.umask(0)
        os.setuid(uid)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen()
        os.write(begun, b"x")
        while True:  # a client that will not have the answer hangs up
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(65536)
                connection.sendall(good(None))

    def ask(self, **more):
        return sfair.exchange(sfair.Place(place(**more)), {})["lease"]

    def test_slurmuser_is_asked(self):
        self.listen_as(4711)
        self.assertEqual(self.ask(SFAIR_SOCKET="4711@" + self.path), LEASE)

    def test_who_owns_the_folder_is_where_nobody_says_who_that_is(self):
        os.chown(self.folder.name, 4711, -1)
        self.listen_as(4711)
        self.assertEqual(self.ask(SFAIR_SOCKET=self.path), LEASE)

    def test_a_stranger_is_not(self):
        self.listen_as(4712)
        for path in ("4711@" + self.path, self.path):
            with self.assertRaisesRegex(
                    OSError, "uid 4712 answers there, .*nor SlurmUser"):
                self.ask(ASTRAEA_SOCKET=path)
        env = place(ASTRAEA_SOCKET=self.path, ASTRAEA_ADDRESS="4711@h:1")
        self.assertEqual(sfair.Place(env).socket, "4711@h:1")


class Alone(unittest.TestCase):
    def test_outside_a_lease_nothing_happens(self):
        def send(*_):
            raise AssertionError
        self.assertEqual(sfair.Client({}, send).place.gpus, (0, 0))
        elastic = place(ASTRAEA_GPUS="6", ASTRAEA_GPUS_BEFORE="2")
        self.assertEqual(sfair.Client(elastic, send).place.gpus, (6, 2))
        for env in ({}, place(ASTRAEA_POOL=""), place(SLURM_JOB_ID="x"),
                    place(ASTRAEA_SOCKET="")):
            client = sfair.Client(env, send)
            begin = time.monotonic()
            for _ in range(1000):
                self.assertEqual(client.lease_remaining(), math.inf)
                self.assertEqual(client.grace_remaining(), math.inf)
                client.on_lease_end()
                self.assertFalse(client.lease_ending())
                client.progress(1, 2, 1, 1)
                self.assertTrue(client.checkpointed(1))
            self.assertLess(time.monotonic() - begin, 30)
            self.assertIsNone(client._thread)
        self.assertEqual(sfair.lease_remaining(), math.inf)

    def test_only_the_newest_progress_is_sent(self):
        sent = []

        def send(_, request):
            sent.append(request["done"])
            time.sleep(0.1)
            return {"lease": LEASE, "report_sec": 1}
        client = sfair.Client(place(), send)
        client.progress(1, 1000)
        while not sent:
            time.sleep(0.01)
        for i in range(2, 1001):
            client.progress(i, 1000)
        time.sleep(2)
        self.assertEqual(sent, [1, 1000])

    def test_one_process_speaks_for_the_job(self):
        def send(*_):
            raise AssertionError
        client = sfair.Client(place(RANK="1"), send)
        client.progress(1, 2)
        self.assertTrue(client.checkpointed(1))
        self.assertTrue(sfair.Place(place(RANK="0", SLURM_PROCID="4")).speaks)
        self.assertFalse(sfair.Place(place(SLURM_PROCID="4")).speaks)

    # The limits of time tell calls that wait from calls that do not: each
    # would wait a second, or a minute.

    def test_nobody_who_answers_delays_nobody(self):
        client = sfair.Client(place(
            ASTRAEA_LEASE_END=str(int(time.time()) + 1000)))
        begin = time.monotonic()
        for i in range(1000):
            client.progress(i, 1000)
            self.assertTrue(900 < client.lease_remaining() <= 1000)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertFalse(client.checkpointed(1))
        self.assertTrue(client.error())
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_server_that_hangs_delays_nobody(self):
        client = sfair.Client(place(), lambda *_: time.sleep(60))
        begin = time.monotonic()
        for i in range(1000):
            client.progress(i, 1000)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertFalse(client.checkpointed(1))
        self.assertLess(time.monotonic() - begin, 30)

    def test_after_a_failure_it_is_tried_less_often(self):
        tries = []

        def send(_, request):
            tries.append(request)
            raise OSError("no")
        client = sfair.Client(place(), send)
        client.progress(1, 2)
        time.sleep(0.3)
        client.progress(2, 2)
        client.lease_remaining()
        time.sleep(0.3)
        self.assertEqual(len(tries), 1)
        self.assertEqual(client.error(), "no")

    def test_numbers_that_are_none_are_refused(self):
        client = sfair.Client(place(), lambda *_: {"lease": LEASE})
        for bad in ((-1,), (3, 2), (1 << 60,), (1, 1 << 60), (1, 2, -1),
                    (1, 2, math.nan), (1, 2, math.inf)):
            with self.assertRaises(ValueError):
                client.progress(*bad)
        with self.assertRaises(TypeError):
            client.progress(1.5)
        with self.assertRaises(ValueError):
            client.checkpointed(-1)
        client.progress(1, 2, None, math.nan)

    def test_the_signal_calls_back_once(self):
        calls, earlier = [], []
        before = signal.signal(signal.SIGUSR2, lambda *_: earlier.append(1))
        try:
            client = sfair.Client(place())
            client.on_lease_end(lambda: calls.append(client.lease_ending()))
            self.assertFalse(client.lease_ending())
            signal.raise_signal(signal.SIGUSR2)
            signal.raise_signal(signal.SIGUSR2)
            self.assertTrue(client.lease_ending())
            self.assertEqual((calls, earlier), ([True], [1, 1]))
            self.assertTrue(55 < client.grace_remaining() <= 60)
        finally:
            signal.signal(signal.SIGUSR2, before)

    def test_a_callback_that_is_set_after_the_signal_is_called(self):
        calls = []
        before = signal.getsignal(signal.SIGUSR2)
        try:
            client = sfair.Client(place(ASTRAEA_GPUS="2"))
            client.on_resize(lambda *sizes: calls.append(sizes))
            signal.raise_signal(signal.SIGUSR2)
            for name in "end", "end", "later":
                client.on_lease_end(functools.partial(calls.append, name))
            late = functools.partial(calls.append, "once")
            client.on_lease_end(late)
            client.on_lease_end(late)
            signal.raise_signal(signal.SIGUSR2)
            client.on_resize(lambda *sizes: calls.append(("late",) + sizes))
            self.assertEqual(calls, [(2, 0), "end", "end", "later", "once",
                                     ("late", 2, 0)])
        finally:
            signal.signal(signal.SIGUSR2, before)

    def test_the_signal_can_be_taken_away(self):
        calls, theirs = [], []
        before = signal.getsignal(signal.SIGUSR2)
        try:
            client = sfair.Client(place())
            client.on_lease_end()
            signal.signal(signal.SIGUSR2, lambda *_: theirs.append(1))
            client.on_lease_end()
            signal.raise_signal(signal.SIGUSR2)
            self.assertFalse(client.lease_ending())
            client.on_lease_end(lambda: calls.append(1), alone=True)
            signal.raise_signal(signal.SIGUSR2)
            self.assertTrue(client.lease_ending())
            self.assertEqual((calls, theirs), ([1], [1]))
        finally:
            signal.signal(signal.SIGUSR2, before)

    def resized(self, now, before, signals=0):
        """What an elastic job's callbacks are called with."""
        calls = []
        handler = signal.getsignal(signal.SIGUSR2)
        try:
            client = sfair.Client(place(ASTRAEA_GPUS=now,
                                        ASTRAEA_GPUS_BEFORE=before))
            client.on_lease_end(lambda: calls.append("end"))
            client.on_resize(lambda *sizes: calls.append(sizes))
            for _ in range(signals):
                signal.raise_signal(signal.SIGUSR2)
        finally:
            signal.signal(signal.SIGUSR2, handler)
        return calls

    def test_an_elastic_job_is_told_of_its_size(self):
        self.assertEqual(self.resized("2", "6", 2),
                         [(6, 2), (2, 0), "end"])
        self.assertEqual(self.resized("2", "2"), [])
        self.assertEqual(self.resized("2", "0", 1), [(2, 0), "end"])
        self.assertEqual(self.resized("", "", 1), ["end"])
        self.assertEqual(self.resized("two", "", 1), ["end"])

    def test_signals_have_names_or_numbers(self):
        for text, number in (("USR1", signal.SIGUSR1), ("TERM", 15),
                             ("12", 12), ("none", 0), ("", 0), ("DFL", 0),
                             ("99999", 0), ("_DFL", 0), ("RTMIN", 34)):
            got = sfair.Place(
                place(ASTRAEA_CHECKPOINT_SIGNAL=text)).signal
            self.assertEqual(got, number, text)

    def test_a_fork_may_go_on_talking(self):
        client = sfair.Client(place(), lambda *_: {"lease": LEASE})
        self.assertTrue(client.checkpointed(1))
        pid = os.fork()
        if not pid:
            client.reset()  # the module does that for its own
            os._exit(0 if client.checkpointed(2) else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertTrue(client.checkpointed(3))


class AuthSlurm(unittest.TestCase):
    """A reply's token counts when this host's daemon accepts it, and it is a
    reply."""

    def setUp(self):
        self.fault, self.asked = 0, []
        self.ask = sfair._sack_ask

        def ask(auth, kind, body, size_of):
            self.asked.append((auth, kind, body))
            return (4, b"tok\0") if kind == sfair.SACK_CREATE else (
                self.fault, b"")
        sfair._sack_ask = ask

    def tearDown(self):
        sfair._sack_ask = self.ask

    @staticmethod
    def token(mark=b"astraea reply ", **other):
        says = dict(uid=7, exp=time.time() + 60, context="auth",
                    payload=base64.b64encode(mark + b"{}").decode())
        says.update(other)
        part = base64.urlsafe_b64encode(json.dumps(says).encode())
        return b"aGVhZA." + part.rstrip(b"=") + b".c2ln"

    def verify(self, token):
        return sfair.verify(token, "auth/slurm:c")

    def test_a_reply_is_believed(self):
        token = self.token()
        self.assertEqual(self.verify(token), (b"{}", 7))
        self.assertEqual(self.asked, [(
            "auth/slurm:c", sfair.SACK_VERIFY,
            struct.pack(">I", len(token) + 1) + token + b"\0")])

    def test_what_is_none_is_refused(self):
        for token, why in (
                (self.token(mark=b"astraea request "), "no reply"),
                (self.token(context="cred"), "no reply"),
                (self.token(exp=time.time() - 1), "clocks"),
                (self.token(payload=7), "no token"),
                (self.token(exp="never"), "no token"),
                (b"a." + base64.urlsafe_b64encode(b"[" * 300000) + b".c",
                 "no token"),
                (b"a.b.c", "no token"), (b"a", "no token")):
            with self.assertRaisesRegex(OSError, why):
                self.verify(token)
        self.fault = 1
        with self.assertRaisesRegex(OSError, "another slurm.key"):
            self.verify(self.token())

    def test_no_two_requests_are_alike(self):
        for _ in range(2):
            self.assertEqual(sfair.sign(b"{}", "auth/slurm"), b"tok")
        bodies = [body for _, _, body in self.asked]
        self.assertNotEqual(*bodies)
        self.assertRegex(bodies[0][8:], rb"^astraea request [0-9a-f]{32} {}$")

    def test_a_munged_of_the_user_does_not_count(self):
        env = dict(MUNGE_SOCKET="/m", ASTRAEA_AUTH="auth/slurm:c")
        self.assertEqual(sfair.Place(env).auth, "auth/slurm:c")
        self.assertEqual(sfair.Place(dict(MUNGE_SOCKET="/m")).auth, "/m")


if __name__ == "__main__":
    unittest.main()
