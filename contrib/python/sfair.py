# SPDX-License-Identifier: GPL-2.0-or-later
"""libsfair(3) in Python: for programs in leased jobs.

    import sfair

    sfair.on_lease_end()
    for step in range(start, total):
        train_one(step)
        sfair.progress(step + 1, total, iter_sec=0.5, loss=loss)
        if sfair.lease_ending():
            save(step + 1)
            sfair.checkpointed(step + 1)
            sys.exit(85)

    with sfair.Store("checkpoints") as store:  # written when the signal comes
        step, data = store.load() or (0, None)
        ...
            store.put(step, pickle.dumps(state))

All calls except offer() and bid() return quickly, whatever slurmctld does: a
thread does the talking. Outside a lease the calls do nothing; only a Store
works there, too. Needs Python 3.7, the plugin's socket, and libmunge. If Slurm
has AuthType=auth/slurm, sackd's socket takes the place of libmunge. The
protocol is in doc/protocol.md.
"""

import atexit
import base64
import ctypes
import errno
import hashlib
import itertools
import json
import math
import operator
import os
import re
import signal
import socket
import stat
import struct
import threading
import time
import zlib

__all__ = ["Refused", "Stale", "Store", "bid", "checkpointed", "error",
           "gpus", "grace_remaining", "lease_ending", "lease_remaining", "offer",
           "on_lease_end", "on_resize", "progress"]

VERSION = 1  # of the protocol
WAIT_SEC = 1.0  # at most, for an answer
FRESH_SEC = 10.0  # an older answer is asked for again
RETRY_SEC = 10.0  # after a failure; doubled each time
RETRY_SEC_MAX = 300.0
REPLY_SEC = 60.0  # then the connection is given up
AGENT_SEC = 5.0  # the same for offer() and bid(), which wait for the reply
BUSY_SEC = (0.05, 0.1, 0.2, 0.4, 0.8)
CONNECT_SEC = 5.0  # to one host, over the network
REPLY_MAX = 1 << 20  # for these requests; other replies may be larger
COUNT_MAX = 1 << 53
ITER_SEC_MAX = 1e9
MUNGE_OPT_SOCKET = 8
AUTH_SLURM = "auth/slurm"
SACK_VERSION = 41 << 8  # of the protocol at sackd's socket: Slurm 24.05's
SACK_CREATE, SACK_VERIFY = 64001, 64002
SACK_SEC = 10.0
ANYBODY = 0xffffffff  # may check a token
UID_HIDDEN = 65534  # in a user namespace: every user unknown to it


class Stale(RuntimeError):
    """This run of the job is over and another run took its place: this one
    must not touch the checkpoints any more."""


class Refused(Exception):
    """An error's code, as in doc/protocol.md, and its text."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def _number(text, most=(1 << 32) - 2):
    """Returns the whole number in a text, or None."""
    if text and text.isascii() and text.isdigit() and int(text) <= most:
        return int(text)
    return None


def _count(name, value, least):
    """Returns any kind of int, such as numpy's, as an int within bounds."""
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


def _split_user(path):
    """Returns the uid before an @, or None, and the rest."""
    uid, at, rest = path.partition("@")
    return (int(uid), rest) if at and uid.isdigit() else (None, path)


def _is_hidden(who):
    """Whether the uid stands for users unknown to the caller's user namespace;
    false if the namespace knows all users."""
    if who != UID_HIDDEN:
        return False
    try:
        with open("/proc/self/uid_map") as file:
            return int(file.readline().split()[2]) < (1 << 32) - 1
    except (OSError, ValueError, IndexError):
        return False


def _trusts(path, who, slurm_user):
    """Whether the user `who`, who listens at a socket, may answer for
    slurmctld: root, SlurmUser or the caller. If SlurmUser is not known or a
    user namespace hides the listener, the socket's folder decides: it must
    belong to the listener, or only its owner may write to it."""
    if who in (0, os.geteuid()):
        return True
    if slurm_user is not None and not _is_hidden(who):
        return who == slurm_user
    try:
        folder = os.stat(os.path.dirname(path))
    except OSError:
        return False
    return folder.st_uid == who or \
        not folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_here(path, slurm_user):
    """Whether the path is a socket that may be the plugin's."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and \
        _trusts(path, found.st_uid, slurm_user)


def _find_socket(given, address):
    """Returns the plugin's socket if it is on this host, else the plugin's
    address. The address also names SlurmUser."""
    slurm_user, path = _split_user(given)
    if slurm_user is None:
        slurm_user = _split_user(address)[0]
    if not path.startswith("/"):
        return given or address
    if address and not _is_here(path, slurm_user):
        return address
    return path if slurm_user is None else f"{slurm_user}@{path}"


def _is_sack(auth):
    """Whether auth is auth/slurm or auth/slurm:CLUSTER; else it is the socket
    of a munged, or empty."""
    return auth == AUTH_SLURM or auth.startswith(AUTH_SLURM + ":")


class Place:
    """The job and lease of a process, from its environment."""

    def __init__(self, env):
        def first(*names):
            return next((env[n] for n in names if env.get(n)), "")

        rank = _number(first("RANK"))
        if rank is None:
            rank = _number(first("SLURM_PROCID"))
        self.job = _number(first("SLURM_JOB_ID"))
        self.run = _number(first("SLURM_RESTART_COUNT")) or 0
        self.socket = _find_socket(first("SFAIR_SOCKET", "ASTRAEA_SOCKET"),
                                   first("ASTRAEA_ADDRESS"))
        self.auth = first("SFAIR_AUTH", "ASTRAEA_AUTH")
        if not _is_sack(self.auth):
            self.auth = first("SFAIR_MUNGE_SOCKET", "MUNGE_SOCKET",
                              "ASTRAEA_MUNGE_SOCKET")
        self.signal = _signal(first("ASTRAEA_CHECKPOINT_SIGNAL"))
        self.end_sec = _seconds(first("ASTRAEA_LEASE_END"))
        self.grace_sec = _seconds(first("ASTRAEA_LEASE_GRACE"))
        self.gpus = (_number(first("ASTRAEA_GPUS")) or 0,
                     _number(first("ASTRAEA_GPUS_BEFORE")) or 0)
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
    """A context of libmunge, for the munged at a socket."""

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
    """Returns the bytes at a pointer from malloc(), and frees it."""
    data = ctypes.string_at(pointer, size) if pointer else b""
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(pointer)
    return data


def _sack_dial(auth):
    """Connects to the daemon that signs for users of this host."""
    given = os.environ.get("SLURM_SACK_SOCKET")
    cluster = auth[len(AUTH_SLURM) + 1:]
    names = ["slurm", "slurmctld", "slurmdbd"]
    if cluster:
        names.insert(0, "slurm-" + cluster)
    paths = [given] if given else [f"/run/{n}/sack.socket" for n in names]
    for path in paths:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(SACK_SEC)
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
    raise OSError(f"auth/slurm: no daemon answers at {given or paths[-3]}, "
                  "which signs for users: start sackd on this host, or slurmd")


def _sack_ask(auth, kind, body, size_of):
    """Returns the daemon's answer: a number, and size_of(number) bytes."""
    with _sack_dial(auth) as connection:
        try:
            connection.sendall(struct.pack(">HII", SACK_VERSION, 8 + len(body),
                                           kind) + body)
            number, = struct.unpack(">I", _receive(connection, 4))
            return number, _receive(connection, size_of(number))
        except OSError:
            return 0 if kind == SACK_CREATE else 1, b""


def _sack_sign(message, auth):
    """Returns a token of this user around a request."""
    nonce = os.urandom(16).hex().encode()
    payload = b"astraea request " + nonce + b" " + message
    size, token = _sack_ask(
        auth, SACK_CREATE,
        struct.pack(">II", ANYBODY, len(payload)) + payload,
        lambda number: min(number, 4 << 20))
    if not size:
        raise OSError("auth/slurm: the daemon of this host signs nothing: see "
                      "its log")
    return token.rstrip(b"\0")


def _base64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _sack_verify(token, auth):
    """Returns the message in a reply's token, and its sender's uid."""
    try:
        says = json.loads(_base64(token.decode().split(".")[1]))
        payload = base64.b64decode(says["payload"])
        uid, context = says["uid"], says["context"]
        is_over = says["exp"] < time.time()
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise OSError("auth/slurm: it is no token that carries a message")
    if is_over:
        raise OSError("auth/slurm: the reply's signature has expired: the "
                      "clocks of the two hosts differ")
    fault, _ = _sack_ask(auth, SACK_VERIFY,
                         struct.pack(">I", len(token) + 1) + token + b"\0",
                         lambda number: 0)
    if fault:
        raise OSError("auth/slurm: the daemon of this host refuses the reply's "
                      "signature: the two hosts have another slurm.key each, "
                      "or it was signed for another user")
    if (context not in ("auth", "sack")
            or not payload.startswith(b"astraea reply ")):
        raise OSError("auth/slurm: what was signed is no reply")
    return payload[len(b"astraea reply "):], uid


def sign(message, auth=""):
    """Returns a credential of this user around a message, as bytes."""
    if _is_sack(auth):
        return _sack_sign(message, auth)
    with _Context(auth) as munge:
        out = ctypes.c_void_p()
        munge.check(munge.lib.munge_encode(ctypes.byref(out), munge.pointer,
                                           message, len(message)))
        return _take(out)


def verify(credential, auth=""):
    """Returns the message in a credential, and its sender's uid."""
    if _is_sack(auth):
        return _sack_verify(credential, auth)
    with _Context(auth) as munge:
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
    """Connects to the first of HOST:PORT,... that answers; IPv6 addresses are
    in brackets."""
    why = OSError("no host")
    for name in hosts.split(","):
        host, _, port = name.rpartition(":")
        try:
            return socket.create_connection((host.strip("[]"), int(port)),
                                            CONNECT_SEC)
        except (OSError, ValueError) as this:
            why = this
    raise OSError(str(why))


def _check_peer(connection, path, slurm_user):
    """Raises OSError unless the listener's uid, which the kernel knows, is
    trusted."""
    who = struct.unpack("iII", connection.getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))[1]
    if not _trusts(path, who, slurm_user):
        raise OSError(f"{path}: uid {who} answers there, who is neither root "
                      "nor SlurmUser, so it is not asked: tell the "
                      "administrator, who should remove it and restart "
                      "slurmctld")


def _dial(path, wait_sec):
    """Returns a connection, and the uid that has to sign replies; None: no
    signature is needed."""
    uid, path = _split_user(path)
    if not path.startswith("/"):
        return _dial_network(path), uid or 0
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(wait_sec)
        connection.connect(path)
        _check_peer(connection, path, uid)
    except OSError:
        connection.close()
        raise
    return connection, None


class _Busy(OSError):
    """The plugin is busy: ask again in a moment. The reply is not signed, but
    a false one costs no more than that moment."""


def _unwrap(text, uid, auth, credential):
    """Returns the text of a reply over the network, which must be signed and
    must answer this request."""
    if b'"error":{"code":"busy"' in text[:256]:
        raise _Busy("the reply is not signed: %r" % text[:200])
    token = _is_sack(auth) and re.fullmatch(rb"[\w-]+\.[\w-]+\.[\w-]+", text)
    if not token and (_is_sack(auth) or not text.startswith(b"MUNGE:")):
        raise OSError("the reply is not signed: %r" % text[:200])
    text, signer = verify(text, auth)
    if signer not in (0, uid):
        raise OSError(f"uid {signer} answers, and not SlurmUser")
    if not text.startswith(b'{"to":"'):
        raise OSError("the reply does not say which request it answers: "
                      "slurmctld there has an older Astraea than this host: "
                      "update it, as slurmctld is updated before other hosts")
    bound = '{"to":"%s",' % hashlib.sha256(credential).hexdigest()
    if not text.startswith(bound.encode()):
        raise OSError("the reply answers another request: something between "
                      "this host and slurmctld gives old replies back, tell "
                      "the administrator")
    return text


def exchange(place, request):
    """Sends one request, a dict, and returns the reply. If the plugin is busy,
    asks again for less than two seconds. Raises OSError or Refused."""
    for pause in BUSY_SEC:
        try:
            return _exchange_once(place, request)
        except _Busy:
            pass
        except Refused as why:
            if why.code != "busy":
                raise
        time.sleep(pause)
    return _exchange_once(place, request)


def _exchange_once(place, request):
    message = dict(astraea=VERSION, **request)
    if "app" not in message:
        message.setdefault("job", place.job)
    agent = request.get("request") in ("offer", "bid")
    wait_sec = AGENT_SEC if agent else REPLY_SEC
    credential = sign(json.dumps(message, allow_nan=False).encode(),
                      place.auth)
    connection, uid = _dial(place.socket, wait_sec)
    with connection:
        connection.settimeout(wait_sec)
        try:
            connection.sendall(struct.pack(">I", len(credential)) + credential)
        except BrokenPipeError:
            pass  # its reply says why: too large, too many
        size, = struct.unpack(">I", _receive(connection, 4))
        if size > REPLY_MAX:
            raise OSError("the reply is none of the astraea plugin")
        text = _receive(connection, size)
    if uid is not None:
        text = _unwrap(text, uid, place.auth, credential)
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


def _rho(value):
    """Returns a number from 0 on as the protocol writes it."""
    value = float(value)
    if not value >= 0:
        raise ValueError("a rho is a number from 0 on, or infinite")
    return "inf" if math.isinf(value) else value


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# Codes of errors that may pass: try again.
_PASSING = ("busy", "rate", "timeout", "no_data", "not_found", "internal")


class Client:
    """The calls, for one environment; `send` is exchange() except in tests."""

    def __init__(self, env=None, send=exchange):
        self.place = Place(os.environ if env is None else env)
        self._send = send
        self._came = None  # when the signal came
        self._handled = False
        self._set = {}  # callbacks: "resize", "end"
        self._pending = {}  # callbacks that are still to be called
        self._pipe = None  # write end: passes signals to the watching thread
        self._stores = []
        left = self.place.end_sec - time.time()
        # When the lease ends; infinite: never; None: not known.
        self._end = time.monotonic() + left if left > 0 else None
        self._heard = 0.0  # when the plugin last said so
        self._pause = self._retry = self._due = 0.0
        self._error = self._note = ""
        self._stale = False
        self.reset()

    def reset(self):
        """Begins without a thread, as in a child of a fork."""
        if self._pipe:
            try:
                signal.set_wakeup_fd(-1)  # the present one is the parent's
            except ValueError:
                pass  # another thread has forked
            self._pipe, self._stores = None, []
        self._lock = threading.Condition()
        self._thread = None
        self._asks = False
        self._progress = None  # report to send
        self._step = None  # checkpoint to report
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
        # A reply about a waiting job says nothing about the lease.
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
        except Exception as why:  # no error of ours may stop the program
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
            # The environment has an end even if the lease has none.
            known = self._heard and self._end and self._end > now
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
                return math.inf  # the lease may have been renewed
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
                    self._retry = 0.0  # worth a try at once
                if self._retry <= time.monotonic():
                    self._wake()
                    self._wait(lambda: self._saved_heard >= mine)
            if self._stale:
                raise Stale(self._error)
            return self._saved_heard >= mine and self._saved_result is None

    def error(self):
        with self._lock:
            return self._note or self._error

    def note(self, text):
        """Sets what error() reports for a store; "": nothing."""
        self._note = text

    def _ask(self, request, app, user, job):
        if not self.place.socket:
            raise OSError("neither SFAIR_SOCKET nor ASTRAEA_SOCKET says where "
                          "the plugin listens")
        if app is not None:
            request["app"] = app
            if user is not None:
                request["user"] = str(user)
        elif job is not None:
            request["job"] = operator.index(job)
        elif not self.place.leased:
            raise ValueError("this process is in no leased job: name the app")
        return self._send(self.place, request)

    def offer(self, app=None, user=None, job=None):
        return self._ask(dict(request="offer"), app, user, job)

    def bid(self, rho=None, jobs=None, rho_now=None, app=None, user=None,
            job=None):
        request = dict(request="bid")
        if rho is not None:
            request["rho"] = {level: [_rho(value) for value in values]
                              for level, values in rho.items()}
        if rho_now is not None:
            request["rho_now"] = _rho(rho_now)
        if jobs is not None:
            request["jobs"] = [operator.index(number) for number in jobs]
        return self._ask(request, app, user, job)

    def on_lease_end(self, callback=None, alone=False):
        if callback:
            self._set_callback("end", callback)
        self.catch(alone)
        self._call_late()

    def on_resize(self, callback):
        now, before = self.place.gpus
        if not now:
            return
        if before and before != now:
            callback(before, now)
        self._set_callback("resize", callback)
        self.catch()
        self._call_late()

    def _set_callback(self, name, callback):
        if self._set.get(name) != callback:
            self._set[name] = self._pending[name] = callback

    def _call_late(self):
        """Calls the callbacks that were set after the signal."""
        if self._came is not None and self._handled:
            self._call()

    def _call(self):
        # pop() is atomic: a handler that runs in between finds no callback.
        resize = self._pending.pop("resize", None)
        if resize:
            resize(self.place.gpus[0], 0)
        end = self._pending.pop("end", None)
        if end:
            end()

    def catch(self, alone=False):
        """Installs the handler once; with alone, installs it again."""
        if not self.place.leased or not self.place.signal or \
                (self._handled and not alone):
            return
        before = None if alone else signal.getsignal(self.place.signal)

        def handle(number, frame):
            self._come()
            self._tell_stores(number)
            if callable(before) and before is not signal.default_int_handler:
                before(number, frame)
            self._call()

        signal.signal(self.place.signal, handle)
        self._handled = True

    def _come(self):
        if self._came is None:
            self._came = time.monotonic()

    # A store must hear of the signal even while the main thread is in a long
    # call, during which Python calls no handlers. But Python writes the
    # signal's number to a pipe or socket at once.

    def watch(self, store):
        """Makes the signal wake the store; call catch() first."""
        if not self._handled:
            return
        self._stores.append(store)
        if self._pipe:
            return
        out, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        before = -1
        if threading.current_thread() is threading.main_thread():
            before = signal.set_wakeup_fd(self._pipe,
                                          warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(out, before), daemon=True,
                         name="sfair-signal").start()

    def unwatch(self, store):
        if store in self._stores:
            self._stores.remove(store)

    def _tell_stores(self, number):
        if self._pipe:
            try:
                os.write(self._pipe, bytes([number]))
            except OSError:
                pass  # full: the thread will read it

    def _watch(self, out, before):
        while True:
            numbers = os.read(out, 4096)
            if before >= 0:
                try:
                    os.write(before, numbers)
                except OSError:
                    pass  # its owner has closed it, or it is full
            if self.place.signal in numbers:
                self._come()
                for store in list(self._stores):
                    store.wake()

    def lease_ending(self):
        return self._came is not None

    def grace_remaining(self):
        if self._came is None:
            return math.inf
        left = self._came + self.place.grace_sec - time.monotonic()
        return max(left, 0.0)


# The store's files, by the format in libsfair(3), as in
# src/client/{folder,lineage,snapshot}.c.

_MAGIC = b"SFAIRCP\n"
_HEAD = struct.Struct("<8sIIQQI24x")  # magic, version, fence, step, size, CRC
_HEAD_SIZE = _HEAD.size + 4  # and its own CRC
_NAME = r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}"
_FILE = (r"\.(?:([0-9]{16})\.)?([0-9]{10})"
         r"\.(ckpt|fence|[0-9a-f]{8}\.tmp)")
_FENCE = re.compile(r"sfair fence 1\nbase (none|[0-9]{1,20})\n"
                    r"((?:owner [0-9]{1,10} [0-9]{1,10}\n){1,64})"
                    r"crc [0-9a-f]{8}\n")
_OWNERS = 64
_TRIES = 100
_CHUNK = 4 << 20


class _Damaged(Exception):
    pass


class _Again(Exception):
    """Another process was faster."""


def _fence_text(base, owners):
    text = "sfair fence 1\nbase %s\n" % ("none" if base is None else base)
    text += "".join("owner %d %d\n" % owner for owner in owners)
    return b"%bcrc %08x\n" % (text.encode(), zlib.crc32(text.encode()))


def _fence_read(data):
    """Returns a fence's base and owners."""
    match = _FENCE.fullmatch(data.decode("latin-1"))
    if not match:
        raise _Damaged
    base = None if match[1] == "none" else int(match[1])
    owners = [tuple(map(int, line.split()[1:]))
              for line in match[2].splitlines()]
    if _fence_text(base, owners) != data:
        raise _Damaged
    return base, owners


def _write_all(fd, data):
    data = memoryview(data)
    while data:
        data = data[os.write(fd, data):]


def _highest(files, below=1 << 32):
    """Returns the number of the newest fence; 0: there is none."""
    return max((f.fence for f in files if f.kind == "fence" and
                f.fence < below), default=0)


def _counts(status):
    """Whether a file's owner and mode make it one of the store's. Others are
    not trusted: the program goes by what it reads."""
    return stat.S_ISREG(status.st_mode) and \
        status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


_NEEDS = ("a store needs hard links, and files that belong to who creates them "
          "and that not everybody may write to")
_ROOM = "make room and try again, what was saved before stays"
_REMEDIES = {
    errno.EACCES: "who runs it must be able to read and write there",
    errno.EROFS: "a run writes there: make it writable, or choose another "
                 "folder",
    errno.ENOSPC: _ROOM, errno.EDQUOT: _ROOM,
    errno.EPERM: _NEEDS, errno.EOPNOTSUPP: _NEEDS, errno.EMLINK: _NEEDS,
}


def _explain(why, path):
    """Returns the error with the path and a remedy added."""
    text = os.strerror(why.errno)
    if why.errno in _REMEDIES:
        text += "; " + _REMEDIES[why.errno]
    return OSError(why.errno, text, path)


class _File:
    """A file of a store, by its name."""

    def __init__(self, name, match):
        self.name = name
        self.step, self.fence = int(match[1] or 0), int(match[2])
        self.kind = match[3] if match[3] in ("ckpt", "fence") else "tmp"
        self.valid = (match[1] is None) == (self.kind == "fence") and \
            0 < self.fence < (1 << 32) - 1


class _Lineage:
    """The snapshots in a store's folder, and which of them are valid."""

    def __init__(self, folder, name, owner, writes):
        if not re.fullmatch(_NAME, name):
            raise ValueError("a store's name has up to 100 letters, digits "
                             "and . _ + -, the first one a letter or digit")
        self.path, self.name = folder, name
        self.owner, self.writes = owner, writes
        self.number, self.base, self.owners = 0, None, []
        self.newest = None  # step, as it was opened
        self._pattern = re.compile(re.escape(name) + _FILE)
        try:
            self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as why:
            raise _explain(why, folder) from None
        try:
            self._claim()
        except BaseException:
            self.close()
            raise

    def close(self):
        os.close(self._folder)

    # Files.

    def _list(self):
        """Lists the store's files, the latest step first. Files that are not
        the user's have the kind "foreign": their names are taken."""
        files = []
        for name in os.listdir(self._folder):
            match = self._pattern.fullmatch(name)
            if match:
                files.append(_File(name, match))
        files = sorted((f for f in files if f.valid), key=lambda f: -f.step)
        for file in files:
            if not self._mine(file):
                file.kind = "foreign"
        return files

    def _mine(self, file):
        try:
            return _counts(os.stat(file.name, dir_fd=self._folder,
                                   follow_symlinks=False))
        except OSError as why:
            # If a fence is gone, a higher one exists, which the next look
            # finds. Other failures show when the file is opened.
            return why.errno != errno.ENOENT or file.kind != "fence"

    def _open(self, name):
        """Opens a file and checks the open file itself, since another may have
        taken its name."""
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW,
                         dir_fd=self._folder)
        except OSError as why:
            if why.errno != errno.ELOOP:
                raise
            raise FileNotFoundError(errno.ENOENT, name) from None
        if not _counts(os.fstat(fd)):
            os.close(fd)
            raise FileNotFoundError(errno.ENOENT, name)
        return fd

    def _remove(self, name):
        try:
            os.unlink(name, dir_fd=self._folder)
        except OSError:
            pass

    def _remove_below(self, files, kind, below):
        for file in files:
            if file.kind == kind and file.fence < below:
                self._remove(file.name)

    def _create(self, step):
        for _ in range(_TRIES):
            name = "%s.%016d.%010d.%s.tmp" % (self.name, step, self.number,
                                              os.urandom(4).hex())
            try:
                fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644,
                             dir_fd=self._folder)
            except FileExistsError:
                continue
            if not _counts(os.fstat(fd)):
                os.close(fd)
                self._remove(name)
                raise PermissionError(errno.EPERM, name)
            return name, fd
        raise FileExistsError(errno.EEXIST, name)

    def _link(self, old, new):
        os.link(old, new, src_dir_fd=self._folder, dst_dir_fd=self._folder,
                follow_symlinks=False)

    def _snapshot_name(self, step):
        return "%s.%016d.%010d.ckpt" % (self.name, step, self.number)

    def _fence_name(self, number):
        return "%s.%010d.fence" % (self.name, number)

    def _head(self, fd, file, base):
        """Returns the size and CRC of a snapshot. Raises _Damaged if the head is
        invalid, and Stale unless the snapshot was written under the fence in
        its name or, up to the base's step, under an earlier one."""
        head = os.pread(fd, _HEAD_SIZE, 0)
        if len(head) < _HEAD_SIZE:
            raise _Damaged
        magic, version, fence, step, size, crc = _HEAD.unpack_from(head)
        again = _HEAD.pack(_MAGIC, 1, fence, step, size, crc)
        if head != again + struct.pack("<I", zlib.crc32(again)) or \
                size != os.fstat(fd).st_size - _HEAD_SIZE or \
                step != file.step or fence > file.fence:
            raise _Damaged
        if fence < file.fence and (base is None or step > base):
            raise Stale
        return size, crc

    def _check(self, file, base):
        fd = self._open(file.name)
        try:
            self._head(fd, file, base)
        finally:
            os.close(fd)

    # Fences.

    def _read_fence(self, number):
        fd = self._open(self._fence_name(number))
        try:
            return _fence_read(os.pread(fd, 4096, 0))
        except _Damaged:
            raise OSError(errno.EBADMSG, "it is damaged; if no run of it is "
                          "left, remove it", os.path.join(
                              self.path, self._fence_name(number))) from None
        finally:
            os.close(fd)

    def _claim(self):
        full = False
        for _ in range(_TRIES):
            files = self._list()
            try:
                self._try_claim(files)
            except (_Again, FileNotFoundError, FileExistsError):
                continue
            except OSError as why:
                if why.errno in (errno.ENOSPC, errno.EDQUOT) and \
                        self.writes and not full:
                    # A killed run may have left a large temporary file.
                    self._remove_below(files, "tmp", self.number)
                    full = True
                    continue
                if why.errno == errno.EBADMSG:
                    raise
                raise _explain(why, self.path) from None
            if self.writes:
                self._clean(files)
                self._remove_below(files, "tmp", self.number + 1)
            return
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), self.path)

    def _try_claim(self, files):
        """Puts up the fence of this run, or joins it."""
        self.number = _highest(files)
        self.base, self.owners = None, []
        if self.number:
            self.base, self.owners = self._read_fence(self.number)
        self.newest = next((f.step for f in files if f.kind == "ckpt" and
                            f.fence == self.number), None)
        new = self._may_put_up()
        if new:
            self._put_up(files)
        if _highest(self._list()) > self.number:
            raise _Again

    def _may_put_up(self):
        job, run = self.owner
        if not job:
            return self.writes
        before = [r for j, r in self.owners if j == job and r >= run]
        if not before:
            return True
        if before == [run] and self.owners[-1] == self.owner:
            return False
        raise self._stale()

    def _put_up(self, files):
        before, self.newest = (self.number, self.base), None
        taken = {f.fence for f in files if f.kind == "foreign"}
        self.number = next(n for n in itertools.count(self.number + 1)
                           if n not in taken)
        if self.number > (1 << 32) - 2:
            raise OSError(errno.EOVERFLOW, os.strerror(errno.EOVERFLOW))
        self.owners = [o for o in self.owners if o[0] not in
                       (0, self.owner[0])][1 - _OWNERS:] + [self.owner]
        self._adopt([f for f in files if f.kind == "ckpt" and
                     f.fence == before[0]], before[1])
        self.base = self.newest
        name, fd = self._create(0)
        try:
            _write_all(fd, _fence_text(self.base, self.owners))
            os.fsync(fd)
            try:
                self._link(name, self._fence_name(self.number))
            except FileExistsError:
                pass  # NFS may have made the link before it repeated the call
            if not os.path.samestat(os.fstat(fd), os.stat(
                    self._fence_name(self.number), dir_fd=self._folder,
                    follow_symlinks=False)):
                raise _Again
        finally:
            os.close(fd)
            self._remove(name)
        os.fsync(self._folder)

    def _adopt(self, files, base):
        """Links the valid snapshots of the previous fence to names of this
        one."""
        for file in files:
            try:
                self._check(file, base)
            except (_Damaged, Stale):
                continue
            except OSError as why:
                if why.errno == errno.EIO:
                    continue
                raise
            try:
                self._link(file.name, self._snapshot_name(file.step))
            except FileExistsError:
                pass
            if not _counts(os.stat(self._snapshot_name(file.step),
                                   dir_fd=self._folder,
                                   follow_symlinks=False)):
                raise _Again  # the file was replaced
            if self.newest is None:
                self.newest = file.step
        os.fsync(self._folder)

    def _clean(self, files):
        """Removes what earlier runs left behind. The previous fence stays, so
        that a process that lists the folder meanwhile sees one of the two."""
        self._remove_below(files, "ckpt", self.number)
        self._remove_below(files, "tmp", self.number)
        self._remove_below(files, "fence", _highest(files, self.number))

    # Snapshots.

    def _read(self, file):
        fd = self._open(file.name)
        try:
            size, crc = self._head(fd, file, self.base)
            with open(fd, "rb", closefd=False) as stream:
                stream.seek(_HEAD_SIZE)
                data = stream.read(size)
        finally:
            os.close(fd)
        if len(data) != size or zlib.crc32(data) != crc:
            raise _Damaged
        return data

    def load(self):
        """Returns the step and data of the newest complete snapshot, or None;
        and a list of texts about damaged ones."""
        follows = not self.writes and not self.owner[0]
        for _ in range(_TRIES):
            if follows:
                self._claim()  # a process outside a job follows the newest run
            found, damaged, missed = self._load_newest()
            if found:
                break
            try:
                self._look()
            except Stale:
                if not follows:
                    raise
                continue
            if not missed:
                break
        return found, damaged

    def _load_newest(self):
        """Tries once. Also returns whether a snapshot was removed meanwhile."""
        damaged, missed = [], False
        files = self._list()
        for file in files:
            if file.kind != "ckpt" or file.fence != self.number:
                continue
            try:
                return (file.step, self._read(file)), damaged, missed
            except _Damaged:
                damaged.append(f"{file.name}: damaged")
            except Stale:
                pass
            except FileNotFoundError:
                missed = True
            except OSError as why:
                if why.errno != errno.EIO:
                    raise
                damaged.append(str(why))
        foreign = [f.name for f in files if f.kind == "foreign"]
        if foreign:
            damaged.append(
                f"{len(foreign)} files are ignored, since they are not of this "
                "user or everybody may write to them, such as " + foreign[0])
        return None, damaged, missed

    def _write(self, fd, step, data):
        """Writes the head last: until then the file is not a valid snapshot."""
        _write_all(fd, bytes(_HEAD_SIZE))
        crc = 0
        for at in range(0, len(data), _CHUNK):
            chunk = data[at:at + _CHUNK]
            crc = zlib.crc32(chunk, crc)
            _write_all(fd, chunk)
        head = _HEAD.pack(_MAGIC, 1, self.number, step, len(data), crc)
        os.lseek(fd, 0, os.SEEK_SET)
        _write_all(fd, head + struct.pack("<I", zlib.crc32(head)))
        os.fsync(fd)

    def _replace(self, step, data):
        name, fd = self._create(step)
        try:
            try:
                self._write(fd, step, data)
            finally:
                os.close(fd)
            self._look()
            os.rename(name, self._snapshot_name(step),
                      src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except BaseException:
            self._remove(name)
            raise
        os.fsync(self._folder)

    def save(self, step, data, keep):
        """Writes a snapshot, and removes all except the newest `keep` up to
        this step."""
        try:
            self._look()
            self._replace(step, memoryview(data))
            self._look()
        except OSError as why:
            self._look()  # the cause may be that the next run removed the file
            raise _explain(why, os.path.join(
                self.path, self._snapshot_name(step))) from None
        try:
            self._prune(step, keep)
        except OSError:
            pass  # the next save prunes

    def _look(self):
        if _highest(self._list()) > self.number:
            raise self._stale()

    def _stale(self):
        return Stale(f"store {self.name}: another run has taken this one's "
                     "place")

    def _counts(self, file):
        try:
            self._check(file, self.base)
        except (_Damaged, Stale, OSError):
            return False
        return True

    def _prune(self, step, keep):
        files = self._list()
        if _highest(files) == self.number:
            self._clean(files)
        for file in files:
            if file.kind != "ckpt" or file.fence != self.number:
                continue
            if file.step <= step and keep and self._counts(file):
                keep -= 1
            else:
                self._remove(file.name)


class Store:
    """The Last store: snapshots of the program's state. put() takes one into
    memory in each iteration; the newest is written to a folder when the
    checkpoint signal comes and, also outside a lease, by save() and close().
    The next run finds the newest complete snapshot. Snapshots that an earlier
    run writes after that do not count.

        with sfair.Store("checkpoints") as store:
            step, data = store.load() or (0, None)
            while step < total and not sfair.lease_ending():
                ...
                step += 1
                store.put(step, pickle.dumps(state))

    One process of a run writes: the one whose progress() is sent. In others
    put() and save() do nothing. The folder must exist, on a file system with
    hard links. name: up to 100 letters, digits and . _ + -. keep: how many
    snapshots to keep. Files of other users, and files that everybody may write
    to, are ignored. Create a store in the main thread, where it catches the
    checkpoint signal as on_lease_end() does.

    Raises Stale if another run has taken this one's place, else OSError of the
    file system: older snapshots stay, and the call may be repeated."""

    def __init__(self, folder, name="state", keep=2):
        if operator.index(keep) < 1:
            raise ValueError("keep: at least 1")
        self._client = _the_client()
        place = self._client.place
        self._pid, self._keep = os.getpid(), operator.index(keep)
        self._client.catch()
        self._lineage = _Lineage(os.fspath(folder), name,
                                 (place.job or 0, place.run), place.speaks)
        self._floor = self._lineage.newest or 0
        self._newest = (0, 0, b"")  # count of puts, step, data
        self._puts = itertools.count(1)
        self._lock = threading.Condition()
        self._thread = None
        self._written = 0  # count of puts when the written one was put
        self._asked = self._answered = 0
        self._failure = None
        self._stale = self._closing = False
        self._client.watch(self)
        atexit.register(self.close)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _check(self):
        if self._pid != os.getpid():
            raise PermissionError(errno.EPERM, "a store has to be opened anew "
                                  "in the child of a fork")
        if self._closing:
            raise ValueError("the store is closed")

    def load(self):
        """Returns (step, bytes) of the newest complete snapshot, or None.
        Raises Stale if another run has taken this one's place."""
        self._check()
        found, damaged = self._lineage.load()
        self._floor = found[0] if found else 0
        self._client.note("; ".join(damaged))
        return found

    def put(self, step, data):
        """Hands over a snapshot. A bytes object is not copied; any other buffer
        is. Once the signal has come, a thread writes the snapshot, which then
        replaces the previous one. step: at least that of the previous or the
        loaded snapshot."""
        self._check()
        step = _count("step", step, 0)
        if not self._lineage.writes:
            return
        if step < self._floor:
            raise ValueError(f"step {step} is before the last one, "
                             f"{self._floor}")
        if self._stale:
            raise self._lineage._stale()
        if type(data) is not bytes:
            data = memoryview(data).tobytes()
        with self._lock:
            self._floor = step
            self._newest = next(self._puts), step, data
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True,
                                                name="sfair-store")
                self._thread.start()
            elif self._client.lease_ending():
                self._lock.notify_all()

    def save(self):
        """Waits until the newest snapshot that was put is on the disk, and
        reports it to slurmctld as checkpointed() does."""
        self._check()
        self._save()

    def close(self):
        """Saves the newest snapshot if it is not on the disk, and closes the
        store."""
        if self._closing or self._pid != os.getpid():
            return
        self._closing = True
        atexit.unregister(self.close)
        try:
            self._save()
        finally:
            self._client.unwatch(self)
            with self._lock:
                self._asked = -1
                self._lock.notify_all()
            if self._thread:
                self._thread.join()
            self._lineage.close()

    def wake(self):
        """Wakes the store's thread when the signal has come."""
        with self._lock:
            self._lock.notify_all()

    def _save(self):
        with self._lock:
            if self._newest[0] <= self._written:
                return
            self._asked += 1
            mine = self._asked
            self._lock.notify_all()
            self._lock.wait_for(lambda: self._answered >= mine)
            if self._failure:
                raise self._failure

    # Only the thread writes, so a handler may call save() or put() any time.

    def _run(self):
        tried = 0
        with self._lock:
            while self._asked >= 0:
                asked, (number, step, data) = self._asked, self._newest
                ending = self._client.lease_ending() and number > tried
                if asked == self._answered and not ending:
                    self._lock.wait()
                    continue
                tried = number
                self._lock.release()
                try:
                    failure = self._write(number, step, data)
                finally:
                    self._lock.acquire()
                self._failure = failure
                self._stale |= isinstance(failure, Stale)
                if not failure:
                    self._written = number
                self._answered = asked
                self._lock.notify_all()

    def _write(self, number, step, data):
        """Writes a snapshot. Returns the error, or None."""
        try:
            if number > self._written:
                if self._stale:
                    raise self._lineage._stale()
                self._lineage.save(step, data, self._keep)
                self._client.checkpointed(step)
            self._client.note("")
        except Exception as why:
            self._client.note(str(why))
            return why
        return None


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
    """Returns the seconds until the job's lease ends. 0: the lease has ended,
    and the checkpoint signal comes unless it is renewed; or another run has
    taken this one's place. math.inf: outside a lease, if the lease has no end,
    and while its end is not known. Waits at most one second: in the first call,
    and if the known end has passed."""
    return _the_client().lease_remaining()


def grace_remaining():
    """Returns the seconds until the job's GPUs are taken, once the checkpoint
    signal has come; math.inf before. Needs on_lease_end()."""
    return _the_client().grace_remaining()


def on_lease_end(callback=None, alone=False):
    """Catches the job's checkpoint signal. The callback is called once, without
    arguments, by Python's own rules for signals: in the main thread, between
    two instructions. If the signal has come already, the callback is called
    before this call returns. The previous handler is called, too, except with
    alone=True, which takes the signal away from a framework; a later call may
    do that as well. Call it in the main thread (else ValueError)."""
    _the_client().on_lease_end(callback, alone)


def lease_ending():
    """Whether the checkpoint signal has come."""
    return _the_client().lease_ending()


def gpus():
    """Returns the GPUs that an elastic job (sbatch --gpu-range) has in this run,
    and those that it had in the previous run, 0 in the first run. (0, 0): the
    job is not elastic, or outside Slurm. The size changes only between runs."""
    return _the_client().place.gpus


def on_resize(callback):
    """Sets the callback for changes of an elastic job's size:
    callback(before, now), in GPUs. It is called within this call if the
    previous run had another size; that size is exact and the same in all
    processes. It is called once more, as callback(now, 0), when the checkpoint
    signal has come, before the callback of on_lease_end() and by the same
    rules. Then this run ends, unless its lease was renewed meanwhile. The size
    of the next run is not known before that run starts. If the job is not
    elastic, or outside Slurm, the callback is never called. A later call
    replaces the callback."""
    _the_client().on_resize(callback)


def progress(done, total=None, iter_sec=None, loss=None):
    """Reports the job's progress: iterations done, with those of earlier runs;
    iterations in all; seconds per iteration; the loss. Only the newest report
    is sent, about every ten seconds, and only by one process of the job: the
    one whose RANK, or else SLURM_PROCID, is 0 or not set. Raises ValueError if
    a number is invalid."""
    _the_client().progress(done, total, iter_sec, loss)


def checkpointed(step):
    """Reports that the checkpoint of this iteration is complete and on the
    disk. Returns True if slurmctld knows it, and outside a lease. Returns False
    if there was no answer within a second or the report was refused; error()
    says why. Raises Stale if this run of the job is over."""
    return _the_client().checkpointed(step)


def error():
    """Returns why the last report failed; "" if it did not."""
    return _the_client().error()


def offer(app=None, user=None, job=None):
    """Returns an app's state and its result in the last auction, as a dict; see
    "offer" in doc/protocol.md. The app is the one with this name (--app) of
    this user (for operators: of `user`), or that of the job with the id `job`,
    or that of this job. The call is for agents: it waits for the answer, at
    most 5 s. Raises Refused with the plugin's reason, OSError if the plugin
    does not answer, ValueError without an app."""
    return _the_client().offer(app, user, job)


def bid(rho=None, jobs=None, rho_now=None, app=None, user=None, job=None):
    """Bids for an app. rho: {"slot": [rho with 1, 2, ... GPUs in all],
    "machine": ...}; levels above slot may be left out. rho_now: the rho with
    the GPUs that the app holds. jobs: the ids of its jobs in the order in which
    they get GPUs. All of these may be left out. A bid holds until the next one,
    for at most two lease terms. Returns and raises as offer()."""
    return _the_client().bid(rho, jobs, rho_now, app, user, job)
