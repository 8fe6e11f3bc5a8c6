"""Network namespaces of Linux as hosts, connected by a switch; for root alone.

    with Hosts(2, "1gbit") as hosts:
        subprocess.run(hosts.mpirun("mpirun", 2, [program]))
"""

import os
import pathlib
import subprocess
import tempfile

# Open MPI starts a host's processes by `agent ADDRESS COMMAND...`, as by ssh. Each host has a name of its own.
AGENT = """#!/bin/sh
number=$((${1##*.} - 1)); shift
exec ip netns exec NAME_$number unshare --uts sh -c "hostname NAME-$number; $*"
"""


# Open MPI asks the receiver before it sends a larger message, and the answer waits behind what is on its way.
EAGER = 2 << 20


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


def burst_of(rate):
    """Bytes that may go at once, for the timer is no finer: those of two milliseconds."""
    return str(round(float(rate[:-4]) * {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}[rate[-4:]] / 8 * 0.002))


class Hosts:
    """`rate` is the bandwidth of a host, either way, as "100mbit" or "1gbit"; None: what the kernel moves."""

    network = "10.77.0.0/24"

    def __init__(self, count, rate=None):
        self.count, self.rate, self.name = count, rate, f"fovea{os.getpid()}"
        self.switch = f"{self.name}_switch"

    def host(self, number):
        return f"{self.name}_{number}"

    def address(self, number):
        return f"10.77.0.{number + 1}"

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.agent = pathlib.Path(self.folder.name) / "agent"
        self.agent.write_text(AGENT.replace("NAME", self.name))
        self.agent.chmod(0o755)
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.switch, "link", "set", "bridge", "up")
        for i in range(self.count):
            host = self.host(i)
            ip("netns", "add", host)
            ip("-n", host, "link", "add", "net", "type", "veth", "peer", "name", f"port{i}", "netns", self.switch)
            ip("-n", host, "addr", "add", f"{self.address(i)}/24", "dev", "net")
            ip("-n", self.switch, "link", "set", f"port{i}", "master", "bridge")
            for name, device in [(host, "lo"), (host, "net"), (self.switch, f"port{i}")]:
                ip("-n", name, "link", "set", device, "up")
            if self.rate:
                for name, device in [(host, "net"), (self.switch, f"port{i}")]:
                    subprocess.run(["tc", "-n", name, "qdisc", "add", "dev", device, "root", "tbf", "rate", self.rate, "burst", burst_of(self.rate),
                                    "latency", "50ms"], check=True)

    def __exit__(self, *_):
        for name in [*map(self.host, range(self.count)), self.switch]:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)
        self.folder.cleanup()

    def mpirun(self, mpirun, ranks, words):
        """The command that starts so many ranks, dealt out to the hosts, of a program that all see."""
        each = -(-ranks // self.count)
        over = ["--mca", "btl", "tcp,self", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl_tcp_eager_limit", str(EAGER), "--mca", "btl_tcp_if_include", self.network, "--mca", "oob_tcp_if_include", self.network,
                "--mca", "plm_rsh_agent", str(self.agent)]
        hosts = ",".join(f"{self.address(i)}:{each}" for i in range(self.count))
        command = [mpirun, *over, "--host", hosts, "-n", str(ranks), "--map-by", "node", *words]
        return ["ip", "netns", "exec", self.host(0), "unshare", "--uts", "sh", "-c", f'hostname {self.name}-0; exec "$@"', "sh", *map(str, command)]
