"""What training by ranks costs: seconds of a step by their number, the network and how sums go over it.

    python bench/distributed_cost.py predict [--parameters 834304] [--row MS] [--fixed MS] [--latency US] [--bandwidth MB/S] [--rows 12]
    python bench/distributed_cost.py check PROGRAM TEXT [--rates 1gbit 100mbit] [--ranks 1 2 4] [--json FILE]
    python bench/distributed_cost.py draw FILE.svg

`predict` prints a table for 1 to 1,024 ranks. `check` holds the model against train_gpt in network namespaces that stand for
hosts (Linux, root), whose bandwidth tc shapes, and asks for 15 %. `draw` needs matplotlib.

A rank computes for a fixed time, the update among it, and a time for each row of its share. The gradients of all parameters
then go over the network, 4 bytes each:

    ring           2 (N - 1) messages one after the other, each of a share of N
    tree           all of them, 2 log2 N times one after the other
    halving        halves, quarters and so on, and back: 2 log2 N messages (recursive halving and doubling)
    parts          what mpi/mpi_group.cpp does: each rank sends each other its part, adds up its own, and sends the sums back; in
                   buckets, of which one is on its way while another is added up
"""

import argparse
import dataclasses
import json
import math
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import time

import training_runs

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "mpi"))
from hosts import Hosts  # noqa: E402

BYTES = 4          # of a gradient
PART = 1 << 20     # bytes of a rank's part of a bucket
SMALL_SUMS = 2     # a step: the losses, and who saves or ends
PASSES = 4         # over the gradients in memory: side by side, added up, read for the norm and the update


@dataclasses.dataclass
class Network:
    latency: float        # seconds from one rank to another
    bandwidth: float      # bytes a second that a host sends, and takes at once
    message: float = 3e-6 # seconds that a message takes its sender
    memory: float = 8e9   # bytes a second that a rank copies


def ring(size, ranks, net):
    return 2 * (ranks - 1) * (net.latency + net.message + size / ranks / net.bandwidth)


def tree(size, ranks, net):
    return 2 * math.ceil(math.log2(ranks)) * (net.latency + net.message + size / net.bandwidth)


def halving(size, ranks, net):
    return 2 * math.ceil(math.log2(ranks)) * (net.latency + net.message) + 2 * (ranks - 1) / ranks * size / net.bandwidth


def parts(size, ranks, net):
    buckets = max(1, math.ceil(size / (ranks * PART)))
    return (buckets + 1) * net.latency + 2 * (ranks - 1) * (buckets * net.message + size / ranks / net.bandwidth)


WAYS = {"ring": ring, "tree": tree, "halving": halving, "parts": parts}


@dataclasses.dataclass
class Work:
    parameters: int
    fixed: float  # seconds of a step besides its rows
    row: float    # seconds of a row

    def computing(self, rows):
        return self.fixed + rows * self.row


def summing(work, ranks, net, way):
    """Seconds that ranks sum for, where nothing hides them."""
    if ranks == 1:
        return 0
    size = BYTES * work.parameters
    return WAYS[way](size, ranks, net) + SMALL_SUMS * parts(0, ranks, net) + PASSES * size / net.memory


def step(work, rows, ranks, net, way="parts", overlap=False):
    """Seconds of a step of so many rows for each rank. With overlap sums go on behind the way back, two thirds of the rows'
    time, and what is left over shows."""
    sums, computes = summing(work, ranks, net, way), work.computing(rows)
    return computes + (max(sums - 2 / 3 * rows * work.row, 0) if overlap else sums)


def pays_from(work, net, ranks, efficiency):
    """Rows of a rank from which ranks learn from so much of ranks times the rows a second that one learns from."""
    sums = summing(work, ranks, net, "parts")
    return max(0, (sums * efficiency / (1 - efficiency) - work.fixed) / work.row)


def print_prediction(a):
    work = Work(a.parameters, a.fixed / 1e3, a.row / 1e3)
    net = Network(a.latency / 1e6, a.bandwidth * 1e6)
    names = [*WAYS, "parts, overlap"]
    print(f"{work.parameters} parameters, {a.rows} rows a rank, {a.latency:g} us, {a.bandwidth:g} MB/s: ms a step, and of N times one's rows a second")
    print("ranks  " + "".join(f"{name:>22}" for name in names))
    for exponent in range(11):
        ranks, cells = 2**exponent, ""
        for name in names:
            seconds = step(work, a.rows, ranks, net, name.split(",")[0], "overlap" in name)
            cells += f"{1e3 * seconds:13.2f} {work.computing(a.rows) / seconds:8.2f}"
        print(f"{ranks:5}  {cells}")
    for efficiency in (0.5, 0.8, 0.9):
        print(f"{efficiency:.0%} of 16 times one's speed from {pays_from(work, net, 16, efficiency):.0f} rows a rank on")


# --- measured


ROUNDS, PINGS = 20, 300


def received(connection, count):
    while count > 0:
        got = len(connection.recv(min(count, 1 << 20)))
        if got == 0:
            raise ConnectionError("the other host has gone")
        count -= got


def exchange(connections, size):
    """Sends each so many bytes, and takes as many from each."""
    message, place = memoryview(bytes(size)), bytearray(size)
    left = {one: [message, size] for one in connections}
    with selectors.DefaultSelector() as waiting:
        for one in connections:
            waiting.register(one, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while waiting.get_map():
            for key, events in waiting.select():
                one, state = key.fileobj, left[key.fileobj]
                if events & selectors.EVENT_WRITE and state[0]:
                    state[0] = state[0][one.send(state[0]):]
                if events & selectors.EVENT_READ and state[1]:
                    state[1] -= one.recv_into(place, state[1])
                wanted = (selectors.EVENT_WRITE if state[0] else 0) | (selectors.EVENT_READ if state[1] else 0)
                waiting.modify(one, wanted) if wanted else waiting.unregister(one)


def connections_of(number, addresses):
    """One to each other host: it takes those of hosts behind it, and asks those before it."""
    made = []
    with socket.create_server((addresses[number], 7077)) as server:
        for address in addresses[:number]:
            while True:
                try:
                    made.append(socket.create_connection((address, 7077)))
                    break
                except ConnectionRefusedError:  # not there yet
                    time.sleep(0.01)
        accepted = {address: connection for connection, (address, _) in (server.accept() for _ in addresses[number + 1:])}
    return made + [accepted[address] for address in addresses[number + 1:]]


def run_probe(number, size, addresses):
    """Prints half the time of a byte there and back, and the bytes a second that this host sends and takes while each sends each other
    a message of that size, and then the next."""
    connections = connections_of(number, addresses)
    for one in connections:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    for _ in range(PINGS if number < 2 else 0):  # between the first two
        start = time.perf_counter()
        for sends in (number == 0, number == 1):
            connections[0].sendall(b"x") if sends else received(connections[0], 1)
        times.append(time.perf_counter() - start)
    for one in connections:
        one.setblocking(False)
    exchange(connections, 1)  # all begin together
    exchange(connections, size)
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        exchange(connections, size)
        took.append(time.perf_counter() - start)
    print(json.dumps([statistics.median(times) / 2 if times else 0, len(connections) * size / statistics.median(took)]))


def network_of(hosts, size):
    addresses = [hosts.address(i) for i in range(hosts.count)]
    runs = [subprocess.Popen(["ip", "netns", "exec", hosts.host(i), sys.executable, "-B", __file__, "probe", str(i), str(size), *addresses],
                             stdout=subprocess.PIPE, text=True) for i in range(hosts.count)]
    found = [json.loads(run.communicate()[0]) for run in runs]
    return Network(found[0][0], statistics.mean(bandwidth for _, bandwidth in found))


def check(a):
    """Rows of what was predicted and measured, ranks times rate."""
    runs = training_runs.TimedRuns(a.program, a.text, a.size, a.steps, a.mpirun)
    count, rows, worst = training_runs.parameters_of(runs), [], 0
    for rate in a.rates:
        for ranks in a.ranks:
            with Hosts(max(ranks, 2), rate) as hosts:
                net = network_of(hosts, min(BYTES * count // max(ranks, 2), PART))
                computed, measured = [], []
                for _ in range(a.rounds):  # in turn, so that what else the machine does meets both
                    computed.append(runs.beside_each_other(ranks, a.batch // ranks))
                    measured.append(runs.together(ranks, a.batch, 1, hosts) if ranks > 1 else runs.beside_each_other(1, a.batch))
            rows_of_rank = a.batch // ranks
            work = Work(count, 0, statistics.median(computed) / rows_of_rank)
            predicted, found = step(work, rows_of_rank, ranks, net, overlap=not a.after), statistics.median(measured)
            worst = max(worst, abs(predicted / found - 1))
            rows.append({"ranks": ranks, "rate": rate, "batch": a.batch, "parameters": count, "latency_us": 1e6 * net.latency,
                         "bandwidth_mb": net.bandwidth / 1e6, "computing_ms": 1e3 * work.computing(rows_of_rank), "predicted_ms": 1e3 * predicted,
                         "measured_ms": 1e3 * found})
            print(f"{ranks} ranks, {rate}: {1e6 * net.latency:.0f} us, {net.bandwidth / 1e6:.1f} MB/s; {1e3 * work.computing(rows_of_rank):.2f} ms computing; "
                  f"predicted {1e3 * predicted:.2f} ms, measured {1e3 * found:.2f} ms, {predicted / found - 1:+.1%}", flush=True)
    if a.json:
        pathlib.Path(a.json).write_text(json.dumps(rows, indent=1) + "\n")
    if worst > a.within:
        sys.exit(f"distributed_cost.py: expected predictions within {a.within:.0%}, found {worst:.1%}")


def draw(a):
    import pictures
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
    work = Work(a.parameters, a.fixed / 1e3, a.row / 1e3)
    ranks = [2**exponent for exponent in range(11)]
    for panel, (name, bandwidth) in zip(panels, (("1 Gbit/s", 119e6), ("10 Gbit/s", 1.19e9))):
        net = Network(a.latency / 1e6, bandwidth)
        for i, rows in enumerate((12, 48, 192)):
            for overlap in (False, True):
                speed = [n * work.computing(rows) / step(work, rows, n, net, overlap=overlap) for n in ranks]
                panel.plot(ranks, speed, color=pictures.COLOURS[i], linestyle="-" if overlap else "--", linewidth=1.2,
                           label=f"{rows} rows a rank" if overlap else None)
        panel.plot(ranks, ranks, color="black", linewidth=0.6)
        panel.set_xscale("log", base=2), panel.set_yscale("log", base=2)
        panel.set_title(name, fontsize=9), panel.set_xlabel("ranks")
    panels[0].set_ylabel("times the speed of one")
    panels[0].legend(frameon=False, fontsize=7)
    pictures.save(figure, a.file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, work in (("predict", print_prediction), ("draw", draw)):
        one = commands.add_parser(name)
        one.set_defaults(work=work)
        if name == "draw":
            one.add_argument("file")
        one.add_argument("--parameters", type=int, default=834304)
        one.add_argument("--row", type=float, default=2.85, help="ms of a row")
        one.add_argument("--fixed", type=float, default=0.5, help="ms of a step besides")
        one.add_argument("--latency", type=float, default=50, help="us")
        one.add_argument("--bandwidth", type=float, default=119, help="MB/s of a host, each way")
        one.add_argument("--rows", type=int, default=12, help="of a rank")
    one = commands.add_parser("check")
    one.set_defaults(work=check)
    one.add_argument("program")
    one.add_argument("text")
    one.add_argument("--size", default="small")
    one.add_argument("--mpirun", default="mpirun")
    one.add_argument("--rates", nargs="+", default=["1gbit", "100mbit"])
    one.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    one.add_argument("--batch", type=int, default=12)
    one.add_argument("--steps", type=int, default=60)
    one.add_argument("--rounds", type=int, default=3)
    one.add_argument("--within", type=float, default=0.15)
    one.add_argument("--after", action="store_true", help="the program sums when the way back is over, not while it runs")
    one.add_argument("--json")
    one = commands.add_parser("probe")  # what `check` runs in each host
    one.set_defaults(work=lambda a: run_probe(a.number, a.bytes, a.addresses))
    one.add_argument("number", type=int)
    one.add_argument("bytes", type=int)
    one.add_argument("addresses", nargs="+")
    a = parser.parse_args()
    a.work(a)


if __name__ == "__main__":
    main()
