"""A libzmq peer for the interoperation tests.

usage: peer.py MODE ENDPOINT [JSON options]

It prints one JSON value per line and obeys one word per line on standard
input where a mode says so. Every wait has a limit, after which it fails.
"""

import json
import os
import sys
import threading
import time

import zmq
from zmq.utils.monitor import recv_monitor_message

LIMIT = 20000  # ms
ctx = zmq.Context()


def say(value):
    print(json.dumps(value), flush=True)


def make(kind, opts):
    sock = ctx.socket(kind)
    sock.setsockopt(zmq.LINGER, 0)
    sock.setsockopt(zmq.RCVTIMEO, LIMIT)
    sock.setsockopt(zmq.SNDTIMEO, LIMIT)
    sock.setsockopt(zmq.RECONNECT_IVL, 20)
    for name, value in opts.get("sockopts", {}).items():
        if isinstance(value, str):
            value = value.encode()
        sock.setsockopt(getattr(zmq, name), value)
    return sock


def watch(sock, counts):
    """Counts the socket's connections and disconnections."""
    monitor = sock.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)

    def loop():
        while True:
            try:
                event = recv_monitor_message(monitor)["event"]
            except zmq.ZMQError:
                return
            if event == zmq.EVENT_DISCONNECTED:
                counts["disconnected"] += 1
            elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                counts["connected"] += 1

    threading.Thread(target=loop, daemon=True).start()


def settled(counts):
    """The counts once the monitor has caught up: the socket is connected now."""
    end = time.monotonic() + LIMIT / 1000
    while counts["connected"] <= counts["disconnected"] and time.monotonic() < end:
        time.sleep(0.005)
    return counts


def quiet(sock, ms):
    """Lets the socket work for a while in which nothing should arrive."""
    if sock.poll(ms):
        raise SystemExit("unexpected message: %r" % (sock.recv_multipart(),))


def request(endpoint, opts):
    """Request and reply, then idle, then once more; prints the disconnections."""
    counts = {"connected": 0, "disconnected": 0}
    sock = make(zmq.REQ, opts)
    watch(sock, counts)
    sock.connect(endpoint)
    for size in opts.get("sizes", [0, 1, 255, 256, 3000, 1 << 20]):
        body = bytes(i % 251 for i in range(1000)) * (size // 1000 + 1)
        body = body[:size]
        sock.send(body)
        reply = sock.recv()
        if reply != b"re:" + body:
            raise SystemExit("wrong reply of %d bytes to %d" % (len(reply), size))
    if opts.get("idle"):
        quiet(sock, opts["idle"])
        sock.send(b"again")
        if sock.recv() != b"re:again":
            raise SystemExit("wrong reply after idling")
    say(settled(counts))


def relaxed(endpoint, opts):
    """Gives up waiting for one reply and gets that of the next request."""
    sock = make(zmq.REQ, opts)
    sock.connect(endpoint)
    sock.send(b"hold")
    quiet(sock, 50)
    sock.send(b"next")
    say(sock.recv().decode())


def twins(endpoint, opts):
    """Two sockets of one identity; each must get its own replies."""
    socks = [make(zmq.REQ, opts) for _ in range(2)]
    for n, sock in enumerate(socks):
        sock.connect(endpoint)
        sock.send(b"first of %d" % n)
    for n in (1, 0):
        say([n, socks[n].recv().decode()])
    for n in (0, 1):
        socks[n].send(b"second of %d" % n)
        say([n, socks[n].recv().decode()])


def subscribe(endpoint, opts):
    """Prints messages until one ends in b"end"; then the disconnections."""
    counts = {"connected": 0, "disconnected": 0}
    sock = make(zmq.SUB, opts)
    watch(sock, counts)
    for topic in opts.get("topics", [""]):
        sock.setsockopt(zmq.SUBSCRIBE, topic.encode())
    sock.connect(endpoint)
    for topic in opts.get("cancel", []):
        sock.setsockopt(zmq.UNSUBSCRIBE, topic.encode())
    if opts.get("idle"):
        quiet(sock, opts["idle"])
        say("idled")
    while True:
        frames = sock.recv_multipart()
        say([f.decode() for f in frames])
        if frames[-1].endswith(b"end"):
            break
    say(settled(counts))


def publish(endpoint, opts):
    """Binds, tells each subscription, and publishes what it reads."""
    sock = make(zmq.XPUB, opts)
    sock.setsockopt(zmq.XPUB_VERBOSE, 1)
    sock.bind(endpoint)
    say(sock.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"))
    lines = threading.Thread(target=relay, daemon=True)
    back = ctx.socket(zmq.PAIR)
    back.bind("inproc://lines")
    lines.start()
    poller = zmq.Poller()
    poller.register(sock, zmq.POLLIN)
    poller.register(back, zmq.POLLIN)
    while True:
        ready = dict(poller.poll(LIMIT))
        if not ready:
            raise SystemExit("nothing to do for too long")
        if sock in ready:
            say(["sub", sock.recv().decode("latin-1")])
        if back in ready:
            line = back.recv()
            if line == b"quit":
                return
            sock.send_multipart(line.split(b"|"))


def relay():
    """Hands standard input to the thread that owns the socket."""
    out = ctx.socket(zmq.PAIR)
    out.connect("inproc://lines")
    for line in sys.stdin.buffer:
        out.send(line.rstrip(b"\n"))
    out.send(b"quit")


def route(endpoint, opts):
    """Binds a ROUTER in front of a REP, as Salt does, and echoes."""
    front = make(zmq.ROUTER, opts)
    front.bind(endpoint)
    back = ctx.socket(zmq.DEALER)
    back.bind("inproc://workers")

    def work():
        rep = ctx.socket(zmq.REP)
        rep.connect("inproc://workers")
        while True:
            rep.send(b"re:" + rep.recv())

    threading.Thread(target=work, daemon=True).start()
    say(front.getsockopt(zmq.LAST_ENDPOINT).decode().rstrip("\0"))
    threading.Thread(target=zmq.proxy, args=(front, back), daemon=True).start()
    sys.stdin.read()


modes = {
    "req": request, "relaxed": relaxed, "twins": twins,
    "sub": subscribe, "pub": publish, "router": route,
}

if __name__ == "__main__":
    modes[sys.argv[1]](sys.argv[2], json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})
    # Threads may sit in libzmq: nothing waits for them.
    sys.stdout.flush()
    os._exit(0)
