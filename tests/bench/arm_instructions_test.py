"""bench/arm_instructions.py counts what is known: arm_instructions_test.py FOLDER_OF_IT COMPILER_FOR_ARM"""

import pathlib
import subprocess
import sys
import tempfile

folder_of_it, compiler = sys.argv[1:]
sys.path.insert(0, folder_of_it)
import arm_instructions  # noqa: E402

# A call is a thousand rounds of two instructions.
PROGRAM = r"""
int atoi(const char* text);
int main(int count, char** words) {
  if (count != 3 || words[1][0] != 'r') return 2;
  long rounds = 1000 * atoi(words[2]);
  __asm__ volatile("0: subs %0, %0, #1\n b.ne 0b" : "+r"(rounds) : : "cc");
  return 0;
}
"""

with tempfile.TemporaryDirectory() as folder:
    program = pathlib.Path(folder) / "rounds"
    subprocess.run([compiler, "-O2", "-static", "-x", "c", "-", "-o", program], input=PROGRAM, text=True, check=True)
    plugin = arm_instructions.plug_in(folder)
    counted = arm_instructions.of_call(plugin, "cortex-a53", [program], "rounds", 10)
    assert abs(counted - 2000) < 1, f"a call of 2,000 instructions was counted as {counted}"
    assert arm_instructions.of_call(plugin, "cortex-a53", [program], "other", 10) is None, "a case that is not there was counted"
