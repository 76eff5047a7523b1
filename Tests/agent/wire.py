"""A server of one WebSocket path, of the standard library: what a monitor-server says to an agent, and what it never says."""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import threading
import uuid

PATIENCE = float(os.environ.get("TEST_PATIENCE", "20"))
MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Link:
    """One connection of an agent. A thread reads; `calls` and `notices` are what the agent sent."""

    def __init__(self, wire, stream, head):
        self.wire, self.stream, self.head = wire, stream, head
        self.condition = wire.condition
        self.calls, self.notices, self.replies, self.number = [], [], {}, 0
        self.close_code = None
        self.ended = False
        self.pings = 0
        self.lock = threading.Lock()

    def header(self, name):
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None

    # Frames

    def frame(self, opcode, payload, final=True):
        head = bytes([(0x80 if final else 0) | opcode])
        size = len(payload)
        if size < 126:
            head += bytes([size])
        elif size < 65536:
            head += bytes([126]) + struct.pack(">H", size)
        else:
            head += bytes([127]) + struct.pack(">Q", size)
        with self.lock:
            try:
                self.stream.sendall(head + payload)
            except OSError:
                pass

    def text(self, text):
        self.frame(1, text.encode() if isinstance(text, str) else text)

    def send(self, message):
        self.text(json.dumps(message))

    def close(self, code, reason=""):
        self.frame(8, struct.pack(">H", code) + reason.encode())

    def cut(self):
        """Ends the connection without a word."""
        try:
            self.stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.stream.recv(min(count - len(data), 1 << 16))
            if not part:
                raise EOFError
            data += part
        return data

    def read_frame(self):
        first, second = self.exactly(2)
        size = second & 127
        if size == 126:
            size = struct.unpack(">H", self.exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.exactly(8))[0]
        mask = self.exactly(4) if second & 128 else b""
        payload = self.exactly(size)
        if mask:
            whole = (mask * (size // 4 + 1))[:size]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")
        return first & 0x80, first & 15, payload, bool(mask)

    def read(self):
        text = b""
        try:
            while True:
                final, opcode, payload, masked = self.read_frame()
                assert masked, "a client masks its frames"
                if opcode == 8:
                    with self.condition:
                        self.close_code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
                    self.frame(8, payload)
                    break
                if opcode == 9:
                    with self.condition:
                        self.pings += 1
                        self.condition.notify_all()
                    self.frame(10, payload)
                elif opcode in (0, 1):
                    text += payload
                    if final:
                        self.take(json.loads(text))
                        text = b""
        except (EOFError, OSError):
            pass
        self.stream.close()
        with self.condition:
            self.ended = True
            self.condition.notify_all()

    # Messages

    def take(self, message):
        with self.condition:
            if "method" not in message:
                self.replies[message.get("id")] = message
            elif "id" in message:
                self.calls.append(message)
            else:
                self.notices.append((message["method"], message["params"]))
            self.condition.notify_all()
        if "method" in message and "id" in message:
            answer = self.wire.answers(message["method"], message["params"])
            if answer is not None:
                self.send({"jsonrpc": "2.0", "id": message["id"], **answer})

    def call(self, method, params, command=None, by=None):
        """Sends a command and returns its whole answer."""
        number = self.post(method, params, command, by)
        return self.reply(number)

    def post(self, method, params, command=None, by=None):
        with self.condition:
            self.number += 1
            number = self.number
        self.send({"jsonrpc": "2.0", "id": number, "method": method,
                   "params": {"command_id": command or str(uuid.uuid4()), "by": by or {"kind": "operator"},
                              "deadline_ms": 20000, **params}})
        return number

    def reply(self, number):
        self.wait(lambda: number in self.replies or self.ended, f"the answer {number}")
        assert number in self.replies, f"the connection ended before the answer; close code {self.close_code}"
        return self.replies.pop(number)

    def wait(self, found, what, patience=PATIENCE):
        with self.condition:
            if not self.condition.wait_for(found, patience):
                raise AssertionError(f"{what} did not come; calls {self.calls}, notices {str(self.notices[-20:])[-4000:]}")
            return found()

    def called(self, method, count=1):
        """The parameters of the agent's calls of a method, once there are so many."""
        def found():
            return [call["params"] for call in self.calls if call["method"] == method]
        return self.wait(lambda: len(found()) >= count and found(), f"{count} calls of {method}")

    def noticed(self, method, count=1, **members):
        def found():
            return [params for name, params in self.notices
                    if name == method and all(params.get(key) == value for key, value in members.items())]
        return self.wait(lambda: len(found()) >= count and found(), f"{count} of {method} {members}")

    def end(self):
        self.wait(lambda: self.ended, "the end of the connection")
        return self.close_code


class Wire:
    """Listens on loopback. `answers` may be replaced; `status` refuses handshakes."""

    def __init__(self, certificate=None, key=None):
        self.condition = threading.Condition()
        self.links = []
        self.heads = []
        self.status = None
        self.location = None
        self.answers = lambda method, params: {"result": {"protocol": 1, "node": "test"} if method == "initialize" else {}}
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                stream, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.greet, args=(stream,), daemon=True).start()

    def greet(self, stream):
        try:
            if self.context:
                stream = self.context.wrap_socket(stream, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                part = stream.recv(4096)
                if not part:
                    return stream.close()
                head += part
        except OSError:
            with self.condition:
                self.heads.append(None)
                self.condition.notify_all()
            return stream.close()
        link = Link(self, stream, head.decode())
        with self.condition:
            self.heads.append(link.head)
            self.condition.notify_all()
        if self.status:
            more = f"Location: {self.location}\r\n" if self.location else ""
            stream.sendall(f"HTTP/1.1 {self.status} No\r\n{more}Content-Length: 0\r\n\r\n".encode())
            return stream.close()
        accept = base64.b64encode(hashlib.sha1((link.header("Sec-WebSocket-Key") + MAGIC).encode()).digest()).decode()
        stream.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())
        with self.condition:
            self.links.append(link)
            self.condition.notify_all()
        link.read()

    def link(self, number=1, greeted=True):
        """The connection of this number, counted from 1, once it is there."""
        with self.condition:
            if not self.condition.wait_for(lambda: len(self.links) >= number, PATIENCE):
                raise AssertionError(f"no connection {number}; heads {self.heads}")
            link = self.links[number - 1]
        if greeted:
            link.called("initialize")
        return link

    def close(self):
        # Without this, a thread that waits in accept() would keep the socket open.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for link in list(self.links):
            link.cut()
