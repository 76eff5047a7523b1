"""What the fan-out is compared with: the raw broadcaster of this folder, and nginx with nchan where it is installed."""

import os
import pwd
import shutil
import subprocess
import sys
import time

import harness
from harness import await_port, free_port, pin, process_table, stop

# One worker, as one broadcaster and one network loop; pings as often as the server under test.
NCHAN = """\
load_module modules/ngx_nchan_module.so;
daemon off; user {user}; worker_processes 1; worker_rlimit_nofile 20000;
pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{ worker_connections 16000; }}
http {{
    access_log off; nchan_shared_memory_size 128M;
    client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096; keepalive_requests 100000000;
        location = /pub {{
            nchan_publisher http; nchan_channel_id bench; nchan_message_buffer_length 100; nchan_message_timeout 1m;
        }}
        location = /sub {{
            nchan_subscriber websocket; nchan_channel_id bench; nchan_subscriber_first_message newest;
            nchan_websocket_ping_interval 25;
        }}
    }}
}}
"""


class Yardstick:
    """A server that nobody has to log in to."""

    key = token = "none"
    process = None

    def listen(self, command, name):
        self.process = subprocess.Popen([str(word) for word in command], preexec_fn=pin(0))
        self.pid = self.process.pid
        try:
            await_port(self.port, name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        stop(self.process, 5)


class Broadcaster(Yardstick):
    """With a database it commits each message there before it sends it."""

    name, flags = "raw", []

    def __init__(self, program, frame_bytes=0, database=None):
        self.port = free_port()
        self.command = [program, "--port", self.port, "--frame-bytes", frame_bytes]
        self.command += ["--database", database] if database else []

    def __enter__(self):
        return self.listen(self.command, "the raw broadcaster")


class WithoutDatabase(Yardstick):
    """Not a yardstick but the server's own fan-out, which, like them, neither reads nor commits what is posted."""

    flags = []

    def __init__(self):
        self.port = free_port()
        self.command = [harness.bench_program("FanoutBench"), self.port]

    def __enter__(self):
        return self.listen(self.command, "FanoutBench")


class Nchan(Yardstick):
    name = "nchan"

    def __init__(self, directory, message_bytes):
        self.directory, self.port = os.path.join(directory, "nchan"), free_port()
        self.flags = ["--path", "/sub", "--post-path", "/pub", "--plain", 1, "--bytes", message_bytes]

    @staticmethod
    def is_installed():
        return shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin") is not None and os.path.exists(
            "/usr/lib/nginx/modules/ngx_nchan_module.so")

    def __enter__(self):
        os.makedirs(self.directory, exist_ok=True)
        configuration = os.path.join(self.directory, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(NCHAN.format(directory=self.directory, port=self.port,
                                    user=pwd.getpwuid(os.geteuid()).pw_name))
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
        self.listen([program, "-c", configuration, "-e", os.path.join(self.directory, "error.log")], "nginx")
        self.pid = self.worker()
        return self

    def worker(self):
        """What costs CPU. The port is open before it is there."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for pid, (parent, _) in process_table().items():
                if parent == self.process.pid:
                    return pid
            time.sleep(0.02)
        self.__exit__()
        sys.exit("nginx has started no worker")
