# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program in a leased job asks and tells: libsfair(3) in Python.

    import sfair

    sfair.on_lease_end()
    for step in range(start, total):
        train_one(step)
        sfair.progress(step + 1, total, iter_sec=0.5, loss=loss)
        if sfair.lease_ending():
            save(step + 1)
            sfair.checkpointed(step + 1)
            sys.exit(85)

All calls return quickly, whatever slurmctld does: a thread does the talking.
Outside a lease they do nothing. Needs nothing but Python 3.7, libmunge and the
plugin's socket; the protocol is in doc/protocol.md.
"""

import ctypes
import json
import math
import operator
import os
import signal
import socket
import struct
import threading
import time

__all__ = ["Stale", "checkpointed", "error", "grace_remaining", "lease_ending",
           "lease_remaining", "on_lease_end", "progress"]

VERSION = 1  # of the protocol
WAIT_SEC = 1.0  # at most, for an answer
FRESH_SEC = 10.0  # an answer is asked for again after so long
RETRY_SEC = 10.0  # after a failure; each time twice as long
RETRY_SEC_MAX = 300.0
REPLY_SEC = 60.0  # then the connection is given up
CONNECT_SEC = 5.0  # to one host, over the network
REPLY_MAX = 1 << 20  # of these requests; others have more
COUNT_MAX = 1 << 53
ITER_SEC_MAX = 1e9
MUNGE_OPT_SOCKET = 8


class Stale(RuntimeError):
    """This run of the job is over and another took its place: it must not
    touch the checkpoints any more."""


class Refused(Exception):
    """An error's code and text."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def _number(text, most=(1 << 32) - 2):
    """A whole number, or None."""
    if text and text.isascii() and text.isdigit() and int(text) <= most:
        return int(text)
    return None


def _count(name, value, least):
    """An int of any kind, numpy's too."""
    value = operator.index(value)
    if not least <= value <= COUNT_MAX:
        raise ValueError(f"{name}: a whole number from {least} to 2^53")
    return value


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 < value < 1e18 else 0.0


def _signal(text):
    number = _number(text, signal.NSIG - 1)
    if number is not None:
        return number
    value = getattr(signal, "SIG" + text, 0)
    return int(value) if isinstance(value, signal.Signals) else 0


class Place:
    """What the environment tells a process of its job and lease."""

    def __init__(self, env):
        def first(*names):
            return next((env[n] for n in names if env.get(n)), "")

        rank = _number(first("RANK"))
        if rank is None:
            rank = _number(first("SLURM_PROCID"))
        self.job = _number(first("SLURM_JOB_ID"))
        self.run = _number(first("SLURM_RESTART_COUNT")) or 0
        self.socket = first("SFAIR_SOCKET", "ASTRAEA_SOCKET")
        # The plugin's socket if it is on this host, else its address.
        if not self.socket or (self.socket[0] == "/" and
                               not os.path.exists(self.socket)):
            self.socket = first("ASTRAEA_ADDRESS") or self.socket
        self.munge = first("SFAIR_MUNGE_SOCKET", "MUNGE_SOCKET",
                           "ASTRAEA_MUNGE_SOCKET")
        self.signal = _signal(first("ASTRAEA_CHECKPOINT_SIGNAL"))
        self.end_sec = _seconds(first("ASTRAEA_LEASE_END"))
        self.grace_sec = _seconds(first("ASTRAEA_LEASE_GRACE"))
        self.leased = bool(first("ASTRAEA_POOL") and self.job and self.socket)
        self.speaks = not rank


_munge_library = None


def _libmunge():
    global _munge_library
    if _munge_library is None:
        lib = ctypes.CDLL("libmunge.so.2")
        lib.munge_ctx_create.restype = ctypes.c_void_p
        lib.munge_ctx_destroy.argtypes = [ctypes.c_void_p]
        lib.munge_ctx_destroy.restype = None
        lib.munge_ctx_strerror.argtypes = [ctypes.c_void_p]
        lib.munge_ctx_strerror.restype = ctypes.c_char_p
        lib.munge_encode.argtypes = [ctypes.POINTER(ctypes.c_void_p),
                                     ctypes.c_void_p, ctypes.c_char_p,
                                     ctypes.c_int]
        lib.munge_decode.argtypes = [ctypes.c_char_p, ctypes.c_void_p] + \
            [ctypes.c_void_p] * 4
        _munge_library = lib
    return _munge_library


class _Context:
    """munge's, for the munged of a socket."""

    def __init__(self, munge_socket):
        self.lib = _libmunge()
        self.pointer = self.lib.munge_ctx_create()
        if not self.pointer:
            raise MemoryError
        if munge_socket:
            self.check(self.lib.munge_ctx_set(
                ctypes.c_void_p(self.pointer), MUNGE_OPT_SOCKET,
                ctypes.c_char_p(munge_socket.encode())))

    def check(self, fault):
        if fault:
            why = self.lib.munge_ctx_strerror(self.pointer) or b"failed"
            raise OSError("MUNGE: " + why.decode(errors="replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.munge_ctx_destroy(self.pointer)


def _take(pointer, size=-1):
    """The bytes at a pointer of malloc's, which is freed."""
    data = ctypes.string_at(pointer, size) if pointer else b""
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(pointer)
    return data


def sign(message, munge_socket=""):
    """A MUNGE credential of this user around a message, as bytes."""
    with _Context(munge_socket) as munge:
        out = ctypes.c_void_p()
        munge.check(munge.lib.munge_encode(ctypes.byref(out), munge.pointer,
                                           message, len(message)))
        return _take(out)


def verify(credential, munge_socket=""):
    """The message in a credential, and its sender's uid."""
    with _Context(munge_socket) as munge:
        out, size = ctypes.c_void_p(), ctypes.c_int()
        uid, gid = ctypes.c_uint(), ctypes.c_uint()
        fault = munge.lib.munge_decode(credential, munge.pointer,
                                       ctypes.byref(out), ctypes.byref(size),
                                       ctypes.byref(uid), ctypes.byref(gid))
        message = _take(out, size.value)
        munge.check(fault)
        return message, uid.value


def _receive(connection, size):
    data = b""
    while len(data) < size:
        chunk = connection.recv(min(size - len(data), 65536))
        if not chunk:
            raise OSError("slurmctld closed the connection")
        data += chunk
    return data


def _dial_network(hosts):
    """The first of HOST:PORT,... that answers; IPv6 is in brackets."""
    why = OSError("no host")
    for name in hosts.split(","):
        host, _, port = name.rpartition(":")
        try:
            return socket.create_connection((host.strip("[]"), int(port)),
                                            CONNECT_SEC)
        except (OSError, ValueError) as this:
            why = this
    raise OSError(str(why))


def _dial(path):
    """A connection, and the uid that has to sign replies; None: nobody."""
    if path[0] != "/":
        uid, at, hosts = path.rpartition("@")
        return _dial_network(hosts), int(uid) if at else 0
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(REPLY_SEC)
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection, None


def _unwrap(text, uid, munge_socket):
    """A reply that came over the network counts only when it is signed."""
    if not text.startswith(b"MUNGE:"):
        raise OSError("the reply is not signed: %r" % text[:200])
    text, signer = verify(text, munge_socket)
    if signer not in (0, uid):
        raise OSError(f"uid {signer} answers, and not SlurmUser")
    return text


def exchange(place, request):
    """Send one request, a dict; its reply. Raises OSError or Refused."""
    message = dict(astraea=VERSION, job=place.job, **request)
    credential = sign(json.dumps(message).encode(), place.munge)
    connection, uid = _dial(place.socket)
    with connection:
        connection.settimeout(REPLY_SEC)
        connection.sendall(struct.pack(">I", len(credential)) + credential)
        size, = struct.unpack(">I", _receive(connection, 4))
        if size > REPLY_MAX:
            raise OSError("the reply is none of the astraea plugin")
        text = _receive(connection, size)
    if uid is not None:
        text = _unwrap(text, uid, place.munge)
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise OSError("the reply is none of the astraea plugin")
    if "error" in reply:
        fault = reply["error"] if isinstance(reply["error"], dict) else {}
        raise Refused(str(fault.get("code")), str(fault.get("text")))
    return reply


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# What may be otherwise the next time.
_PASSING = ("busy", "rate", "timeout", "no_data", "not_found", "internal")


class Client:
    """The calls, for one environment; `send` is exchange() but in tests."""

    def __init__(self, env=None, send=exchange):
        self.place = Place(os.environ if env is None else env)
        self._send = send
        self._came = None  # when the signal came
        self._handled = False
        left = self.place.end_sec - time.time()
        # When the lease ends; infinite: never; None: not known.
        self._end = time.monotonic() + left if left > 0 else None
        self._heard = 0.0  # when that was said
        self._pause = self._retry = self._due = 0.0
        self._error = ""
        self._stale = False
        self.reset()

    def reset(self):
        """Begin without a thread, as in a child of a fork."""
        self._lock = threading.Condition()
        self._thread = None
        self._asks = False
        self._progress = None  # what is to be sent
        self._step = None  # likewise
        self._answers = 0
        self._saved = self._saved_heard = 0
        self._saved_result = None

    # The thread.

    def _next_send(self):
        if self._step is not None or self._asks:
            return self._retry
        if self._progress is not None:
            return max(self._due, self._retry)
        return math.inf

    def _choose(self):
        run = self.place.run
        if self._step is not None:
            request = dict(request="checkpointed", run=run, step=self._step)
            self._step = None
        elif self._progress is not None and time.monotonic() >= self._due:
            request = dict(request="progress", run=run, **self._progress)
            self._progress = None
        else:
            request = dict(request="remaining")
        return request

    def _note_answer(self, reply, now):
        lease = reply.get("lease")
        lease = lease if isinstance(lease, dict) else {}
        left = lease.get("remaining_sec")
        self._pause = self._retry = 0.0
        self._heard = now
        # A report from before the start says nothing of the lease.
        if lease.get("phase", "waiting") != "waiting":
            if left is None:
                self._end = math.inf
            elif _is_number(left):
                self._end = now + left
        every = reply.get("report_sec")
        good = _is_number(every) and 1 <= every <= 3600
        return every if good else FRESH_SEC

    def _note_failure(self, request, result, now):
        self._pause = min(2 * self._pause or RETRY_SEC, RETRY_SEC_MAX)
        self._retry = now + self._pause
        if result == "stale":
            self._stale = True
        if result != "passing":
            self._progress = self._step = None
        elif request["request"] == "checkpointed" and self._step is None:
            self._step = request["step"]
        elif request["request"] == "progress" and self._progress is None:
            self._progress = {k: request[k] for k in request
                              if k not in ("request", "run")}

    def _send_one(self):
        saved = self._saved
        request = self._choose()
        reply, result, text = None, None, ""
        self._lock.release()
        try:
            reply = self._send(self.place, request)
        except Refused as why:
            result = why.code if why.code == "stale" else \
                "passing" if why.code in _PASSING else "refused"
            text = str(why)
        except Exception as why:  # whatever it is, the program goes on
            result, text = "passing", str(why) or type(why).__name__
        finally:
            self._lock.acquire()
        now = time.monotonic()
        self._asks = False
        self._answers += 1
        self._error = text
        every = 1.0
        if result is None:
            every = self._note_answer(reply, now)
        else:
            self._note_failure(request, result, now)
        if request["request"] == "progress":
            self._due = now + every
        elif request["request"] == "checkpointed":
            self._saved_heard, self._saved_result = saved, result
        self._lock.notify_all()

    def _run(self, lock):
        with lock:
            while True:
                pause = self._next_send() - time.monotonic()
                if pause > 0:
                    lock.wait(None if math.isinf(pause) else pause)
                else:
                    self._send_one()

    def _wake(self):
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True,
                                            name="sfair", args=(self._lock,))
            self._thread.start()
        self._lock.notify_all()

    def _wait(self, done):
        self._lock.wait_for(done, WAIT_SEC)

    # The calls.

    def lease_remaining(self):
        if not self.place.leased:
            return math.inf
        with self._lock:
            now = time.monotonic()
            known = self._end is not None and self._end > now
            old = not self._heard or now > self._heard + FRESH_SEC
            if old and now >= self._retry and not self._stale:
                before = self._answers
                self._asks = True
                self._wake()
                if not known:
                    self._wait(lambda: self._answers != before)
            if self._stale:
                return 0.0
            if self._end is None:
                return math.inf
            left = self._end - time.monotonic()
            if left <= 0 and self._heard < self._end:
                return math.inf  # it may have been renewed
            return max(left, 0.0)

    def progress(self, done, total=None, iter_sec=None, loss=None):
        said = dict(done=_count("done", done, 0))
        if total:
            said["total"] = _count("total", total, said["done"])
        if iter_sec:
            said["iter_sec"] = float(iter_sec)
            if not 0 < said["iter_sec"] <= ITER_SEC_MAX:
                raise ValueError("iter_sec: a number above 0, up to 1e9")
        if loss is not None and math.isfinite(loss):
            said["loss"] = float(loss)
        if not self.place.leased or not self.place.speaks:
            return
        with self._lock:
            first = self._progress is None
            if not self._stale:
                self._progress = said
                if first:
                    self._wake()

    def checkpointed(self, step):
        step = _count("step", step, 0)
        if not self.place.leased or not self.place.speaks:
            return True
        with self._lock:
            self._saved += 1
            mine = self._saved
            if not self._stale:
                self._step = step
                if self._pause <= 2 * RETRY_SEC:
                    self._retry = 0.0  # it is worth a try at once
                if self._retry <= time.monotonic():
                    self._wake()
                    self._wait(lambda: self._saved_heard >= mine)
            if self._stale:
                raise Stale(self._error)
            return self._saved_heard >= mine and self._saved_result is None

    def error(self):
        with self._lock:
            return self._error

    def on_lease_end(self, callback=None):
        if not self.place.leased or not self.place.signal or self._handled:
            return
        before = signal.getsignal(self.place.signal)

        def handle(number, frame):
            first = self._came is None
            if first:
                self._came = time.monotonic()
            if callable(before) and before is not signal.default_int_handler:
                before(number, frame)
            if first and callback:
                callback()

        signal.signal(self.place.signal, handle)
        self._handled = True

    def lease_ending(self):
        return self._came is not None

    def grace_remaining(self):
        if self._came is None:
            return math.inf
        left = self._came + self.place.grace_sec - time.monotonic()
        return max(left, 0.0)


_client = None


def _the_client():
    global _client
    if _client is None:
        _client = Client()
    return _client


def _after_fork():
    if _client is not None:
        _client.reset()


os.register_at_fork(after_in_child=_after_fork)


def lease_remaining():
    """Seconds until the job's lease ends. 0: it has ended, and if it is not
    renewed the checkpoint signal comes; or another run has taken this one's
    place. math.inf: outside a lease, where the lease has no end, and while its
    end is not known. Waits a second at most, where nothing better is known."""
    return _the_client().lease_remaining()


def grace_remaining():
    """Seconds until the job's GPUs are taken, once the checkpoint signal has
    come; math.inf before. Needs on_lease_end()."""
    return _the_client().grace_remaining()


def on_lease_end(callback=None):
    """Catch the job's checkpoint signal; the callback is called once, without
    arguments, by Python's own rules for signals: in the main thread, between
    two instructions. A handler that was there before is called, too. Must be
    called in the main thread (else ValueError)."""
    _the_client().on_lease_end(callback)


def lease_ending():
    """Whether the checkpoint signal has come."""
    return _the_client().lease_ending()


def progress(done, total=None, iter_sec=None, loss=None):
    """Tell how far the job is: iterations done, those of earlier runs included;
    of how many in all; seconds an iteration. Only the newest is sent, every ten
    seconds or so, and only of one process a job (that of RANK, else
    SLURM_PROCID, 0). Raises ValueError where a number is none."""
    _the_client().progress(done, total, iter_sec, loss)


def checkpointed(step):
    """Tell that the checkpoint of this iteration is complete and on the disk.
    Returns True when slurmctld knows it, and outside a lease; False when there
    was no answer within a second or it is refused: error() says why. Raises
    Stale when this run of the job is over."""
    return _the_client().checkpointed(step)


def error():
    """Why the last message was not taken; "" when it was."""
    return _the_client().error()
