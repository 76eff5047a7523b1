"""Databases that are made once and copied for each server of a run, because most tests are not about the creation of a
cluster."""

import concurrent.futures
import shutil

import harness


def private(directory):
    """The database that a server without DATABASE_URL makes. Its commits do not wait for the disk, because no test cuts the
    power."""
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
    """The database that `harness.Postgres` makes, without any tables."""
    cluster = harness.Postgres().start()
    cluster.stop()
    directory.mkdir()
    cluster.data.rename(directory / "data")


def make(directory):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for made in [pool.submit(kind, directory / kind.__name__) for kind in (private, external)]:
            made.result()
    harness.end_everything()
