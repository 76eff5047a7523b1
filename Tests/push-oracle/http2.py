"""One HTTP/2 connection of a mock, with the h2 library. It passes requests to its service and runs the steps that the service
returns."""

import asyncio
import json
import socket
import struct

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

CODES = h2.settings.SettingCodes


class Request:
    def __init__(self, connection, stream, headers):
        self.connection, self.stream, self.fields, self.body = connection, stream, headers, b""
        self.headers = dict(headers)

    @property
    def duplicates(self):
        names = [name for name, _ in self.fields]
        return sorted({name for name in names if names.count(name) > 1})


class Connection:
    count = 0

    def __init__(self, service, reader, writer, index):
        Connection.count += 1
        self.number = Connection.count
        self.service, self.reader, self.writer, self.index = service, reader, writer, index
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.requests, self.sending, self.tasks = {}, {}, set()
        self.limit = service.settings.get("initial_streams", 1)
        self.proven, self.gone_away, self.open, self.most_open = False, None, set(), 0
        self.stalled = False
        self.state = service.new_connection(self)

    async def run(self):
        tls = self.writer.get_extra_info("ssl_object")
        self.service.connections.add(self)
        self.tell("connection", protocol=tls.selected_alpn_protocol(), tls=tls.version(), port=self.index)
        try:
            if tls.selected_alpn_protocol() == "h2":
                await self.talk()
            else:
                await self.speak_http1()
        except (ConnectionError, asyncio.IncompleteReadError, OSError):
            pass
        except h2.exceptions.ProtocolError as error:
            self.tell("violation", error=f"{type(error).__name__}: {error}")
            self.send()
        finally:
            for task in self.tasks:
                task.cancel()
            self.service.connections.discard(self)
            self.tell("closed", most_open=self.most_open)
            self.writer.close()

    async def speak_http1(self):
        await self.reader.readuntil(b"\r\n\r\n")
        self.tell("fault", fault="a request in HTTP/1.1")
        self.writer.write(b"HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await self.writer.drain()

    def tell(self, kind, **fields):
        self.service.record.write(kind, service=self.service.name, connection=self.number, **fields)

    async def talk(self):
        first = {CODES.MAX_CONCURRENT_STREAMS: self.limit}
        if "window" in self.service.settings:
            first[CODES.INITIAL_WINDOW_SIZE] = self.service.settings["window"]
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=first)
        self.h2.initiate_connection()
        self.send()
        while not self.writer.is_closing():
            data = await self.reader.read(65536)
            if not data:
                return
            for event in self.h2.receive_data(data):
                self.happened(event)
            self.send()
            if self.is_drained:
                return

    @property
    def is_drained(self):
        return self.gone_away is not None and not self.open

    def send(self):
        data = self.h2.data_to_send()
        if data and not self.writer.is_closing() and not self.stalled:
            self.writer.write(data)

    def happened(self, event):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RequestReceived):
            self.began(stream, event.headers)
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
            if stream in self.requests:
                self.requests[stream].body += event.data
        elif isinstance(event, h2.events.StreamEnded):
            if stream in self.requests:
                self.begin_steps(self.requests.pop(stream))
        elif isinstance(event, h2.events.StreamReset):
            self.forget(stream)
            self.tell("reset", stream=stream, code=int(event.error_code))
        elif isinstance(event, h2.events.WindowUpdated):
            for waiting in list(self.sending):
                self.continue_body(waiting)
        elif isinstance(event, h2.events.PriorityUpdated):
            self.tell("fault", fault="a PRIORITY frame", stream=stream)
        elif isinstance(event, h2.events.PingReceived):
            self.tell("ping")
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.tell("client-goaway", code=int(event.error_code))

    def began(self, stream, headers):
        if self.gone_away is not None and stream > self.gone_away:
            return
        self.open.add(stream)
        self.most_open = max(self.most_open, len(self.open))
        # If an acknowledged limit is exceeded, h2 raises an error. Before the acknowledgement, the stream is refused.
        if len(self.open) > self.limit:
            self.tell("refused-over-limit", stream=stream, open=len(self.open), limit=self.limit)
            return self.reset(stream, 7)
        self.requests[stream] = Request(self, stream, headers)

    def begin_steps(self, request):
        task = asyncio.get_running_loop().create_task(self.do_steps(request))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def do_steps(self, request):
        try:
            for step in self.service.judge(request):
                await self.do(step, request)
                self.send()
                if self.writer.is_closing():
                    return
        except h2.exceptions.ProtocolError:
            # The stream or the connection has ended in the meantime.
            self.forget(request.stream)
        if self.is_drained:
            self.writer.close()

    async def do(self, step, request):
        stream = request.stream
        if "wait" in step:
            await asyncio.sleep(float(step["wait"]))
        if "status" in step:
            self.answer(stream, step)
        if "reset" in step:
            self.reset(stream, int(step["reset"]))
        if "streams" in step:
            self.announce(int(step["streams"]))
        if "goaway" in step:
            self.go_away({"this": stream, "before": max(0, stream - 2), "notice": 2**31 - 1}[step["goaway"]],
                         step.get("debug", ""))
        if "close" in step:
            self.close(abrupt=step["close"] == "rst")
        if step.get("stall"):
            self.stalled = True
            self.writer.transport.pause_reading()

    def answer(self, stream, step):
        if stream not in self.open:
            return
        if step["status"] not in (401, 403) and not self.proven:
            self.proven = True
            self.announce(self.service.settings.get("proven_streams", 100))
        body = step.get("body", "").encode()
        if "reason" in step:
            body = json.dumps({"reason": step["reason"], **step.get("with", {})}).encode()
        headers = [(":status", str(step["status"]))] + [(k, str(v)) for k, v in step.get("headers", {}).items()]
        self.h2.send_headers(stream, headers, end_stream=not body)
        if body:
            self.sending[stream] = body
            self.continue_body(stream)
        else:
            self.forget(stream)

    def continue_body(self, stream):
        body = self.sending[stream]
        room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
        if room > 0:
            self.sending[stream] = body[room:]
            self.h2.send_data(stream, body[:room], end_stream=len(body) <= room)
            if len(body) <= room:
                self.forget(stream)

    def reset(self, stream, code):
        self.h2.reset_stream(stream, code)
        self.forget(stream)

    def forget(self, stream):
        self.open.discard(stream)
        self.requests.pop(stream, None)
        self.sending.pop(stream, None)

    def announce(self, limit):
        if limit != self.limit:
            self.limit = limit
            self.h2.update_settings({CODES.MAX_CONCURRENT_STREAMS: limit})
            self.tell("limit", streams=limit)
            self.send()

    def go_away(self, last, debug):
        before = self.h2.state_machine.state
        self.h2.close_connection(0, debug.encode() or None, last_stream_id=last)
        # h2 sends nothing more after its GOAWAY, but the streams that it includes must be answered.
        self.h2.state_machine.state = before
        self.gone_away = last if last < 2**31 - 1 else self.gone_away
        for stream in [stream for stream in self.open if stream > last]:
            self.forget(stream)
        self.tell("goaway", last=last)
        self.send()

    def close(self, abrupt):
        if abrupt:
            sock = self.writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
        else:
            self.writer.close()
