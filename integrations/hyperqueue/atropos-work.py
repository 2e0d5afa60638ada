#!/usr/bin/env python3
"""Lets HyperQueue (`pip install hyperqueue`) start workers of `atropos serve`.

    atropos-work.py [--local] N CORES WORK...

N tasks run `WORK...`, for example `atropos work --jobs 16 --wait 86400 nats://leader:4222`, on CORES cores each. They go
to the HyperQueue server of this user, or with --local to one that lasts as long as the check.
"""
import sys

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.ffi.protocol import ResourceRequest


def submit(client: Client, n: int, cores: int, work: list[str]) -> None:
    job = Job()
    for _ in range(n):
        job.program(work, resources=ResourceRequest(cpus=cores))
    client.wait_for_jobs([client.submit(job)])


def main() -> None:
    words = sys.argv[1:]
    is_local = words[:1] == ["--local"]
    if is_local:
        words = words[1:]
    if len(words) < 3 or not (words[0].isdigit() and words[1].isdigit()):
        sys.exit(__doc__)
    n, cores, work = int(words[0]), int(words[1]), words[2:]
    if not is_local:
        return submit(Client(), n, cores, work)
    with LocalCluster() as cluster:
        cluster.start_worker()
        submit(cluster.client(), n, cores, work)


if __name__ == "__main__":
    main()
