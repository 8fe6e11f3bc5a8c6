// A plug-in of qemu 7.2, which Debian 12 has: how many instructions a program of one thread ran, as the last line of the
// standard error. Debian packs no qemu-plugin.h, so what is used of it is declared here.

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { add_to_u64 = 0 };

extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                                  void (*translated)(qemu_plugin_id_t,
                                                                     struct qemu_plugin_tb*));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int operation, void* number,
                                                     uint64_t operand);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*ended)(qemu_plugin_id_t, void*),
                                           void* passed);

int qemu_plugin_version = 1;
static uint64_t count;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, add_to_u64, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void* passed) {
  (void)id, (void)passed;
  fprintf(stderr, "\n%" PRIu64 "\n", count);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void* qemu, int words_count, char** words) {
  (void)qemu, (void)words_count, (void)words;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
