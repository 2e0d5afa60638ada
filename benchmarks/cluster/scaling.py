#!/usr/bin/env python3
"""Compares worker processes with threads of one process.

    scaling.py ATROPOS RUNS N PROGRAM [OPTIONS...]
    scaling.py --head

`check --jobs N` and `serve` with N workers of one thread each explore the whole program, by turns, RUNS times; 9:30 are 9
times, or fewer in 30 seconds. Prints one row of a table: the best times of both and their ratio (1 is as fast as threads),
the medians and their ratio, and for the best run with workers: records, bytes for each, the processor time of leader and server, and what workers did (in milliseconds for each worker on average):
nothing before their first task, exploring, sending, waiting for tasks between the first and the last one, and nothing
after the last one; then how many tasks and parts there were, and the share of parts under half a millisecond. All times
are those of the exploration: for workers, from the moment when all of them are there. --head prints the head of the table.
nats-server must be in PATH.
"""
import glob, json, os, random, shutil, signal, socket, statistics, subprocess, sys, tempfile, time

HEAD = ["program", "N", "runs", "threads, s", "workers, s", "ratio", "median, s", "workers, s", "ratio", "records", "bytes", "leader, s", "server, s",
        "start, ms", "explore, ms", "send, ms", "between, ms", "end, ms", "tasks", "parts", "tiny"]


def check(atropos, n, words, folder):
    command = [atropos, "check", "--format", "json", "--jobs", str(n), *words]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def ticks(process):
    fields = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_address():
    """One that no worker gets that tries to connect before the server is there: below the ephemeral ports."""
    while True:
        address = ("127.0.0.1", random.randrange(10000, 32768))
        with socket.socket() as free:
            try:
                free.bind(address)
                return "%s:%d" % address
            except OSError:
                pass


def serve(atropos, n, words, folder):
    address = free_address()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    work = [atropos, "work", "--jobs", "1", "--wait", "60"]
    workers = [subprocess.Popen([*work, "--timeline", f"{folder}/line-{nth}", f"nats://{address}"], **quiet)
               for nth in range(n)]
    leader = subprocess.Popen(
        [atropos, "serve", "--format", "json", "--listen", address, "--store", f"{folder}/store", "--await", str(n),
         "--progress", f"{folder}/progress", *words], stdout=open(f"{folder}/report", "w"), stderr=subprocess.DEVNULL)
    server = 0.0
    try:
        while leader.poll() is None:
            try:
                server = ticks(int(open(f"{folder}/store/nats.pid").read()))
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        assert leader.returncode == 0, "the leader fails"
        for worker in workers:
            worker.wait(30)
    finally:
        for process in [leader, *workers]:
            if process.poll() is None:
                process.kill()
        if os.path.exists(f"{folder}/store/nats.pid"):
            os.kill(int(open(f"{folder}/store/nats.pid").read()), signal.SIGKILL)
    report = json.load(open(f"{folder}/report"))
    report["progress"] = json.loads(open(f"{folder}/progress").read().splitlines()[-1])
    report["server"] = server
    report["timeline"] = timeline(glob.glob(f"{folder}/line-*"))
    return report


def timeline(files):
    """What workers did, in milliseconds for each, and how many tasks and parts there were."""
    lines = [[(int(at), what) for at, _, what in map(str.split, open(file))] for file in files]
    explored = [at for line in lines for at, what in line if what == "explores"]
    begin, end = min(explored), max(at for line in lines for at, what in line if what == "sends")
    total = dict.fromkeys(["start", "explores", "sends", "waits", "end"], 0)
    parts, tasks = [], 0
    for line in lines:
        line = [(at, what) for at, what in line if at <= end]
        busy = [at for at, what in line if what != "waits"]
        if not busy:
            total["start"] += end - begin
            continue
        total["start"] += busy[0] - begin
        total["end"] += end - busy[-1]
        for (at, what), (until, _) in zip(line, line[1:]):
            if busy[0] <= at < busy[-1]:
                total[what] += until - at
                tasks += what == "waits"
                if what == "explores":
                    parts.append(until - at)
    tiny = sum(part < 500 for part in parts) / max(1, len(parts))
    return [f"{value / len(lines) / 1000:.1f}" for value in total.values()] + [tasks, len(parts), f"{tiny:.0%}"]


def has_time(start, n_done, seconds):
    """Whether one more run ends in time."""
    return (time.monotonic() - start) * (n_done + 1) / n_done < seconds


def main():
    if sys.argv[1:] == ["--head"]:
        print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
        return
    atropos, n, words = os.path.abspath(sys.argv[1]), int(sys.argv[3]), sys.argv[4:]
    runs, _, seconds = sys.argv[2].partition(":")
    start, checks, serves = time.monotonic(), [], []
    while len(serves) < int(runs) and (not serves or not seconds or has_time(start, len(serves), float(seconds))):
        for run, reports in ((check, checks), (serve, serves)):
            folder = tempfile.mkdtemp()
            try:
                reports.append(run(atropos, n, words, folder))
            finally:
                shutil.rmtree(folder)
    totals = {report["executions"] + report["blocked"] for report in checks + serves}
    assert len(totals) == 1, f"the totals differ: {totals}"
    check_best, serve_best = (min(reports, key=lambda report: report["explore_us"]) for reports in (checks, serves))
    threads, workers = check_best["explore_us"] / 1e6, serve_best["explore_us"] / 1e6
    progress = serve_best["progress"]
    size = progress["log_bytes"] / max(1, progress["parts_done"])
    middle = [statistics.median(report["explore_us"] for report in reports) / 1e6 for reports in (checks, serves)]
    executable = os.path.basename(atropos)
    program = words[0] if executable == "atropos" else f"{words[0]} ({executable})"
    row = [program, n, len(serves), f"{threads:.3f}", f"{workers:.3f}", f"{threads / workers:.2f}",
           *(f"{time:.3f}" for time in middle), f"{middle[0] / middle[1]:.2f}", progress["parts_done"],
           f"{size:.0f}", f"{serve_best['explore_cpu_us'] / 1e6:.2f}", f"{serve_best['server']:.2f}"]
    print("| " + " | ".join(map(str, row + serve_best["timeline"])) + " |", flush=True)


main()
