#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Last store of contrib/python/sfair.py, and that C reads its files and it
reads those of C, by test_store of the build folder."""

import ctypes
import errno
import mmap
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

top = os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(top, "contrib", "python"))
sys.dont_write_bytecode = True

import sfair  # noqa: E402

KILLS = 100
IN_C = os.path.join(os.environ.get("top_builddir", "build"), "test_store")
LEASE = {"ASTRAEA_POOL": "gpu", "SLURM_JOB_ID": "10", "SLURM_PROCID": "0",
         "ASTRAEA_SOCKET": "/nonexistent", "ASTRAEA_LEASE_GRACE": "60",
         "ASTRAEA_CHECKPOINT_SIGNAL": "USR2"}


def fork(body):
    """The pid of a child that does it."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            signal.alarm(120)
            body()
            status = 0
        except BaseException as why:
            print(repr(why), file=sys.stderr)
        finally:
            os._exit(status)
    return pid


def wait_for(done):
    for _ in range(500):
        if done():
            return True
        time.sleep(0.01)
    return False


class WithFolder(unittest.TestCase):
    def setUp(self):
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.TemporaryDirectory(dir=place)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.be()

    def be(self, **env):
        """Who opens stores from now on."""
        sfair._client = sfair.Client(env, lambda *_: {})

    def open(self, **more):
        store = sfair.Store(self.folder, "k", **more)
        self.addCleanup(self.drop, store)
        return store

    @staticmethod
    def drop(store):
        try:
            store.close()
        except (sfair.Stale, OSError):
            pass

    def files(self, end=""):
        return sorted(f for f in os.listdir(self.folder) if f.endswith(end))

    def path(self, name):
        return os.path.join(self.folder, name)

    def in_child(self, body):
        self.assertEqual(os.waitpid(fork(body), 0)[1], 0)


class Files(WithFolder):
    def test_the_newest_is_found_by_the_next_run(self):
        with self.open() as store:
            self.assertIsNone(store.load())
            store.save()
            store.put(5, b"five")
            store.put(6, bytearray(b"six"))
            self.assertIsNone(store.load())
            store.save()
            self.assertEqual(store.load(), (6, b"six"))
            store.put(7, b"")
        store = self.open()
        with self.assertRaisesRegex(ValueError, "before the last one"):
            store.put(6, b"")
        self.assertEqual(store.load(), (7, b""))
        with self.assertRaises(ValueError):
            store.put(-1, b"")
        with self.assertRaises(TypeError):
            store.put(8, "text")

    def test_so_many_are_kept(self):
        store = self.open(keep=3)
        for step in range(1, 8):
            store.put(step, b"%d" % step)
            store.save()
            self.assertEqual(len(self.files(".ckpt")), min(step, 3))
        self.assertEqual(self.files(".tmp"), [])

    def test_what_is_torn_or_damaged_is_not_loaded(self):
        store = self.open()
        for step in (10, 20):
            store.put(step, b"state of %d" % step)
            store.save()
        newest = self.path(self.files(".ckpt")[1])
        with open(newest, "rb") as file:
            good = file.read()

        def load(data):
            with open(newest, "wb") as file:
                file.write(data)
            return store.load()
        for cut in range(len(good)):
            self.assertEqual(load(good[:cut]), (10, b"state of 10"))
        for at in range(len(good)):
            bad = bytearray(good)
            bad[at] ^= 1 << at % 8
            self.assertEqual(load(bad), (10, b"state of 10"))
        self.assertEqual(load(good + b"\0"), (10, b"state of 10"))
        self.assertIn("damaged", sfair.error())
        self.assertEqual(load(good), (20, b"state of 20"))
        self.assertEqual(sfair.error(), "")

    def test_a_run_that_is_over_writes_no_more(self):
        self.be(SLURM_JOB_ID="7")
        old = self.open()
        old.put(10, b"ten")
        old.save()
        old.put(30, b"thirty")
        self.be(SLURM_JOB_ID="7", SLURM_RESTART_COUNT="1")
        new = self.open()
        with self.assertRaisesRegex(sfair.Stale, "another run"):
            old.save()
        with self.assertRaises(sfair.Stale):
            old.put(31, b"")
        with self.assertRaises(sfair.Stale):
            old.load()
        self.assertEqual(new.load(), (10, b"ten"))
        self.be(SLURM_JOB_ID="7")
        with self.assertRaises(sfair.Stale):
            self.open()
        # It has looked for fences, and hangs in its rename.
        new.put(40, b"forty")
        new.save()
        os.rename(self.path(self.files(".ckpt")[-1]), self.path(
            "k.0000000000000040.0000000001.ckpt"))
        self.assertEqual(new.load(), (10, b"ten"))
        with self.assertRaises(sfair.Stale):
            old.close()

    def test_the_fence_decides_what_was_taken_over(self):
        self.be(SLURM_JOB_ID="7")
        with self.open() as store:
            for step in (10, 20):
                store.put(step, b"%d" % step)
                store.save()
        last = self.files(".ckpt")[1]
        os.rename(self.path(last), self.path("late"))
        self.be(SLURM_JOB_ID="7", SLURM_RESTART_COUNT="1")
        store = self.open()
        os.rename(self.path("late"), self.path(
            "k.0000000000000020.0000000002.ckpt"))
        self.assertEqual(store.load(), (10, b"10"))

    def test_a_damaged_fence_is_named(self):
        self.open().close()
        with open(self.path("k.0000000001.fence"), "wb") as file:
            file.write(b"sfair fence 1\n")
        with self.assertRaisesRegex(OSError, "k.0000000001.fence") as caught:
            self.open()
        self.assertEqual(caught.exception.errno, errno.EBADMSG)

    def give_away(self, name):
        """As if somebody else had planted it; else, of this user, what
        everybody may write to counts as little."""
        if os.geteuid():
            os.chmod(self.path(name), 0o666)
        else:
            os.chown(self.path(name), 65534, 65534)

    def test_what_another_user_planted_is_none(self):
        self.be(SLURM_JOB_ID="7")
        planted = "k.0000000000009000.0000000001.ckpt"
        with self.open() as store:
            store.put(9000, b"planted")
            store.save()
            self.assertEqual(store.load(), (9000, b"planted"))
            self.give_away(planted)
            self.assertIsNone(store.load())
            self.assertIn("ignored", sfair.error())
            self.assertIn(planted, sfair.error())
            for step in (10, 20):
                store.put(step, b"%d" % step)
                store.save()
            self.assertEqual(store.load(), (20, b"20"))
            self.assertEqual(len(self.files(".ckpt")), 3)
        self.be(SLURM_JOB_ID="7", SLURM_RESTART_COUNT="1")
        with self.open() as store:
            self.assertEqual(store.load(), (20, b"20"))
        self.assertIn(planted, self.files())
        self.assertNotIn("k.0000000000009000.0000000002.ckpt", self.files())

    def test_what_everybody_may_write_to_is_none(self):
        before = os.umask(0)
        try:
            store = self.open()
            for step in (10, 20):
                store.put(step, b"%d" % step)
                store.save()
        finally:
            os.umask(before)
        self.assertEqual(store.load(), (20, b"20"))
        os.chmod(self.path(self.files(".ckpt")[1]), 0o646)
        self.assertEqual(store.load(), (10, b"10"))

    def test_planted_fences_lock_nobody_out(self):
        with self.open() as store:
            store.put(1, b"one")
        planted = ["k.4294967294.fence", "k.0000000002.fence",
                   "k.0000000000000001.0000000003.ckpt",
                   "k.0000000000000001.0000000004.00000000.tmp"]
        for name in planted:
            with open(self.path(name), "wb") as file:
                file.write(b"x")
            self.give_away(name)
        with self.open() as store:
            self.assertEqual(store.load(), (1, b"one"))
            store.put(2, b"two")
        self.assertIn("k.0000000000000002.0000000005.ckpt", self.files())
        self.assertIn("k.0000000001.fence", self.files())
        with self.open() as store:
            self.assertEqual(store.load(), (2, b"two"))
        self.assertIn("k.0000000006.fence", self.files())
        self.assertNotIn("k.0000000001.fence", self.files())
        self.assertLessEqual(set(planted), set(self.files()))

    def test_the_owner_is_looked_at_as_a_file_is_opened(self):
        store = self.open()
        store.put(1, b"one")
        store.save()
        name, = self.files(".ckpt")
        os.close(store._lineage._open(name))
        os.symlink(name, self.path("link"))
        os.link(self.path(name), self.path("hard"))
        with self.assertRaises(FileNotFoundError):
            store._lineage._open("link")
        self.give_away(name)
        for name in (name, "hard"):
            with self.assertRaises(FileNotFoundError):
                store._lineage._open(name)

    def test_what_is_no_file_is_skipped(self):
        with self.open() as store:
            store.put(1, b"one")
        loop = "k.0000000000000009.0000000001.ckpt"
        os.symlink(loop, self.path(loop))
        os.mkfifo(self.path("k.0000000007.fence"))
        os.mkdir(self.path("k.0000000008.fence"))
        with self.open() as store:
            self.assertEqual(store.load(), (1, b"one"))
        self.assertIn("k.0000000002.fence", self.files())

    def test_it_is_said_what_to_do(self):
        for code, text in ((errno.EROFS, "Read-only file system; a run wri"),
                           (errno.EACCES, "Permission denied; who runs it"),
                           (errno.ENOSPC, "No space left on device; make ro"),
                           (errno.EPERM, "Operation not permitted; a store")):
            with self.subTest(code), unittest.mock.patch.object(
                    sfair._Lineage, "_create", side_effect=OSError(code, "")):
                with self.assertRaisesRegex(OSError, text) as caught:
                    self.open()
                self.assertEqual(caught.exception.errno, code)
                self.assertEqual(caught.exception.filename, self.folder)

    def test_names_stay_in_the_folder(self):
        for bad in ("", ".", "..", ".a", "a/b", "a b", "a\n", "-a", "a" * 101,
                    "\u0661"):
            with self.assertRaises(ValueError):
                sfair.Store(self.folder, bad)
        with self.assertRaises(ValueError):
            self.open(keep=0)
        with self.assertRaises(FileNotFoundError):
            sfair.Store("/nonexistent")
        self.assertEqual(self.files(), [])

    def test_a_write_that_fails_leaves_the_one_before(self):
        store = self.open()
        store.put(1, b"one")
        store.save()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            store.put(2, bytes(100000))
            with self.assertRaises(OSError) as caught:
                store.save()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(caught.exception.errno, errno.EFBIG)
        self.assertIn(self.folder + "/k.0000000000000002.0000000001.ckpt",
                      sfair.error())
        self.assertIn("File too large", sfair.error())
        self.assertEqual(self.files(".tmp"), [])
        self.assertEqual(store.load(), (1, b"one"))
        store.put(3, b"three")
        store.save()
        self.assertEqual(store.load(), (3, b"three"))

    def test_one_process_writes(self):
        self.be(RANK="1")
        with self.open() as store:
            store.put(1, b"")
            store.save()
        self.assertEqual(self.files(), [])

    def test_a_fork_opens_its_own(self):
        store = self.open()
        store.put(1, b"one")

        def child():
            with self.assertRaises(PermissionError):
                store.put(2, b"")
            with self.assertRaises(PermissionError):
                store.save()
            store.close()
        self.in_child(child)
        store.save()
        self.assertEqual(store.load(), (1, b"one"))


class Signal(WithFolder):
    def leased(self):
        sfair._client = sfair.Client(LEASE, lambda *_: {})
        return self.open()

    def test_the_signal_writes_the_latest(self):
        def child():
            calls = []
            store = self.leased()
            sfair.on_lease_end(lambda: calls.append(1))
            sfair.on_lease_end()  # as a library may
            store.put(1, b"one")
            store.put(2, b"two")
            self.assertIsNone(store.load())
            signal.raise_signal(signal.SIGUSR2)
            self.assertTrue(wait_for(lambda: store.load() == (2, b"two")))
            self.assertEqual(calls, [1])
            self.assertTrue(sfair.lease_ending())
            store.put(3, b"three")
            self.assertTrue(wait_for(lambda: store.load() == (3, b"three")))
            store.put(4, b"four")
            store.close()
            self.assertEqual(self.open().load(), (4, b"four"))
        self.in_child(child)

    def test_also_while_the_main_thread_is_in_a_call(self):
        """No handler is called while it waits for a mutex."""
        def child():
            calls, seen = [], []
            store = self.leased()
            sfair.on_lease_end(lambda: calls.append(1))
            store.put(1, b"one")
            lib, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
            lib.pthread_mutex_lock(mutex)

            def look():
                time.sleep(0.1)  # it is in there now, but on a busy machine
                os.kill(os.getpid(), signal.SIGUSR2)
                seen.append((wait_for(lambda: self.files(".ckpt")),
                             sfair.lease_ending()))
                lib.pthread_mutex_unlock(mutex)
            threading.Thread(target=look).start()
            lib.pthread_mutex_lock(mutex)
            self.assertEqual(seen, [(True, True)])
            self.assertTrue(wait_for(lambda: calls == [1]))
        self.in_child(child)

    def test_who_had_the_wakeup_fd_gets_its_bytes(self):
        def child():
            out, into = os.pipe()
            os.set_blocking(into, False)
            signal.set_wakeup_fd(into)
            signal.signal(signal.SIGCONT, lambda *_: None)
            self.leased()
            signal.raise_signal(signal.SIGCONT)
            self.assertEqual(os.read(out, 1), bytes([signal.SIGCONT]))
        self.in_child(child)

    def test_a_callback_may_save(self):
        def child():
            store = self.leased()

            def save():
                store.put(store.step, b"later")
                store.save()
            store.step = 0
            sfair.on_lease_end(save)
            threading.Timer(0.05, os.kill, (os.getpid(),
                                            signal.SIGUSR2)).start()
            while not sfair.lease_ending() or store.step < 50:
                store.step += 1
                store.put(store.step, bytes(100000))
                store.save()
            self.assertEqual(store.load()[0], store.step)
        self.in_child(child)

    def test_the_end_of_the_program_saves(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); import sfair; "
                "s = sfair.Store(sys.argv[2], 'k'); s.put(1, b'one'); "
                "sys.exit(85)")
        done = subprocess.run([sys.executable, "-B", "-c", code,
                               os.path.dirname(sfair.__file__), self.folder])
        self.assertEqual(done.returncode, 85)
        self.assertEqual(self.open().load(), (1, b"one"))


class Kill(WithFolder):
    @staticmethod
    def state(step):
        return struct.pack("<Q", step) * (step * 31 % 9973)

    def test_a_kill_at_any_moment_loses_nothing(self):
        saved = mmap.mmap(-1, 8)

        def known():
            return struct.unpack("<Q", saved[:])[0]

        def look():
            self.be(RANK="1")
            step, data = self.open().load() or (0, b"")
            self.assertEqual(data, self.state(step))
            self.assertGreaterEqual(step, known())

        def work():
            self.be()
            store = self.open()
            step = (store.load() or (0, b""))[0]
            while True:
                step += 1
                store.put(step, self.state(step))
                store.save()
                saved[:] = struct.pack("<Q", step)
        # The first one saves something, however busy the machine is.
        patience = time.monotonic() + 60
        for _ in range(KILLS):
            pid = fork(work)
            while not known() and time.monotonic() < patience:
                time.sleep(0.001)
            time.sleep(random.random() * 0.02)
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(os.waitpid(pid, 0)[1], signal.SIGKILL)
            look()
        self.assertGreater(known(), 0)


@unittest.skipUnless(os.access(IN_C, os.X_OK), "test_store is not built")
class TwoLanguages(WithFolder):
    def in_c(self, *args):
        run = subprocess.run([IN_C, args[0], self.folder, "k", *args[1:]],
                             stdout=subprocess.PIPE, env={
                                 k: v for k, v in os.environ.items()
                                 if not k.startswith(("SLURM_", "ASTRAEA_"))})
        self.assertEqual(run.returncode, 0)
        return run.stdout

    def test_each_reads_the_other(self):
        for step in range(1, 10, 2):
            self.in_c("put", str(step), f"C {step}")
            with self.open() as store:
                self.assertEqual(store.load(), (step, b"C %d" % step))
                store.put(step + 1, b"Python")
            self.assertEqual(self.in_c("load"), b"%d Python" % (step + 1))

    def test_each_respects_the_others_fence(self):
        store = self.open()
        store.put(1, b"one")
        self.in_c("put", "2", "two")
        with self.assertRaises(sfair.Stale):
            store.save()
        self.assertEqual(self.open().load(), (2, b"two"))


if __name__ == "__main__":
    unittest.main()
