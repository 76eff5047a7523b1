"""Databases that are made once and copied for each server of a run: most tests are not about how a cluster is made."""

import concurrent.futures
import shutil

import harness


def private(directory):
    """What a server without DATABASE_URL makes. Its commits do not wait for the disk: no test takes the power away."""
    server = harness.Server(first=True).start()
    server.stop()
    cluster = server.directory / "postgres"
    with open(cluster / "data/postgresql.conf", "a", encoding="utf-8") as file:
        file.write("fsync = off\n")
    for name in ("socket", "log"):
        shutil.rmtree(cluster / name)
    directory.mkdir()
    cluster.rename(directory / "postgres")


def external(directory):
    """What `harness.Postgres` makes, with the empty database."""
    cluster = harness.Postgres().start()
    cluster.stop()
    directory.mkdir()
    cluster.data.rename(directory / "data")


def make(directory):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for made in [pool.submit(kind, directory / kind.__name__) for kind in (private, external)]:
            made.result()
    harness.end_everything()
