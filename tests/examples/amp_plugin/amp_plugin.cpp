// The plug-in in a host that is no more than what it asks for.

#include <play_amp/amp_network.hpp>

#include "../../runtime/counts.hpp"
#include "../../weights/temporary_folder.hpp"
#include "../nam_files.hpp"
#include "mini_host.hpp"

#include <catch2/catch.hpp>

#include <dlfcn.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

using namespace play_amp_program;

namespace {

const LV2_Descriptor& plugin() {
  static void* const library = ::dlopen(FOVEA_AMP_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  INFO(::dlerror());
  REQUIRE(library != nullptr);
  const auto descriptor = reinterpret_cast<LV2_Descriptor_Function>(::dlsym(library, "lv2_descriptor"));
  REQUIRE(descriptor != nullptr);
  CHECK(descriptor(1) == nullptr);
  return *descriptor(0);
}

/// An amplifier of either kind, in files.
struct amp_files {
  temporary_folder folder;
  std::string wavenet = folder.write("wavenet.nam", wavenet_file().dump()).string();
  std::string lstm = folder.write("lstm.nam", lstm_file().dump()).string();
};

constexpr double rate = 48000;

std::vector<float> some_sound(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = 0.7f * std::sin(0.031f * static_cast<float>(i * i % 977));
  return made;
}

/// A block at a time, of a length each, around and around.
std::vector<float> played(mini_host& host, std::span<const float> sound, std::vector<std::size_t> lengths) {
  std::vector<float> out(sound.size());
  std::size_t from = 0;
  for (std::size_t i = 0; from < sound.size(); ++i) {
    const std::size_t length = std::min(lengths[i % lengths.size()], sound.size() - from);
    host.run(sound.subspan(from, length), std::span(out).subspan(from, length));
    from += length;
  }
  return out;
}

/// As play_amp plays a file from its beginning.
std::vector<float> played(const std::string& file, std::vector<float> sound) {
  network_of(read_nam(file))->play(sound);
  return sound;
}

void load(mini_host& host, const std::string& file) {
  host.set_file(file);
  host.run({}, {});
  host.work();
}

} // namespace

TEST_CASE("the plug-in plays as play_amp does, in blocks of any length", "[amp_plugin]") {
  const amp_files files;
  const auto sound = some_sound(5000);
  for (const std::string& file : {files.wavenet, files.lstm}) {
    const auto expected = played(file, sound);
    for (const std::vector<std::size_t>& lengths :
         {std::vector<std::size_t>{1}, {7}, {64}, {1000}, {1, 1000, 0, 7, 64}}) {
      mini_host host(plugin(), rate);
      load(host, file);
      const auto out = played(host, sound, lengths);
      INFO(file << ", blocks of " << lengths.front());
      const bool equal = out == expected; // of which no message prints thousands
      CHECK(equal);
      CHECK(host.logged.empty());
    }
  }
}

TEST_CASE("the sound passes as it is where there is no amplifier", "[amp_plugin]") {
  const amp_files files;
  const auto sound = some_sound(300);
  mini_host host(plugin(), rate);
  CHECK(played(host, sound, {64}) == sound);
  host.set_file(files.wavenet);
  CHECK(played(host, sound, {64}) == sound); // until it is read
  host.work();
  CHECK(played(host, sound, {64}) == played(files.wavenet, sound));

  const std::string other = files.folder / "none.nam";
  load(host, other);
  CHECK(played(host, sound, {64}) == sound);
  CHECK(host.logged.find(other) != std::string::npos);

  mini_host faster(plugin(), 96000);
  load(faster, files.lstm);
  CHECK(played(faster, sound, {64}) == sound);
  CHECK(faster.logged ==
        files.lstm + ": expected a session of 48000 Hz, as the file is for; found 96000 Hz\n");
  load(faster, files.wavenet); // says no rate
  CHECK(played(faster, sound, {64}) == played(files.wavenet, sound));
}

TEST_CASE("the knobs of the plug-in are decibels, and turn without a step", "[amp_plugin]") {
  const amp_files files;
  const auto sound = some_sound(256);
  mini_host host(plugin(), rate);
  load(host, files.wavenet);
  host.gain = 20, host.level = -20;
  std::vector<float> louder(sound);
  for (float& one : louder) one *= 10;
  auto expected = played(files.wavenet, louder);
  for (float& one : expected) one *= std::pow(10.0f, -20.0f / 20);
  host.run({}, {}); // reads the file
  CHECK(played(host, sound, {64}) == expected);

  mini_host without(plugin(), rate);
  const std::vector<float> ones(64, 1.0f);
  CHECK(played(without, ones, {64}) == ones);
  without.level = 20;
  const auto turned = played(without, ones, {64});
  CHECK(turned.front() == 1);
  CHECK(std::ranges::is_sorted(turned));
  CHECK(turned.back() == Approx(1 + 9 * 63 / 64.0));
  CHECK(played(without, ones, {64}) == std::vector<float>(64, 10.0f));
}

TEST_CASE("a file changes while the plug-in runs", "[amp_plugin]") {
  const amp_files files;
  mini_host host(plugin(), rate);
  load(host, files.wavenet);
  host.run({}, {});
  std::atomic<bool> ends{false};
  std::thread worker([&] {
    while (!ends) {
      host.work();
      std::this_thread::yield();
    }
  });
  const auto sound = some_sound(64);
  auto network = network_of(read_nam(files.wavenet));
  std::vector<float> out(64);
  std::string next = files.lstm;
  for (int changes = 0, blocks = 0; changes < 6; ++blocks) {
    if (blocks == 3) host.set_file(next);
    host.run(sound, out);
    if (const auto told = host.told()) {
      REQUIRE(*told == next);
      network = network_of(read_nam(next));
      next = next == files.lstm ? files.wavenet : files.lstm;
      ++changes, blocks = 0;
    }
    std::vector<float> expected(sound);
    network->play(expected);
    REQUIRE(out == expected);
  }
  ends = true;
  worker.join();
}

TEST_CASE("a session gives the plug-in its file again", "[amp_plugin]") {
  const amp_files files;
  const auto sound = some_sound(300);
  mini_host before(plugin(), rate), after(plugin(), rate);
  CHECK(before.save().empty());
  load(before, files.lstm);
  const auto saved = before.save(); // before the file plays
  REQUIRE(saved.size() == 1);
  const mini_host::property& file = saved.at(before.number("urn:fovea:amp#file"));
  CHECK(file.value == "/session" + files.lstm + '\0');
  CHECK(file.type == before.number(LV2_ATOM__Path));
  CHECK(file.flags == (LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE));

  // Numbers of URIs are those of a host.
  mini_host::session of_after;
  of_after[after.number("urn:fovea:amp#file")] = {file.value, after.number(LV2_ATOM__Path), file.flags};
  after.restore(of_after);
  CHECK(played(after, sound, {64}) == played(files.lstm, sound));
  CHECK(after.save().begin()->second.value == file.value);

  after.restore({});
  CHECK(played(after, sound, {64}) == sound);
}

TEST_CASE("the plug-in tells which file plays", "[amp_plugin]") {
  const amp_files files;
  mini_host host(plugin(), rate);
  host.run({}, {});
  CHECK_FALSE(host.told());
  host.ask_file();
  host.run({}, {});
  CHECK(host.told() == "");
  load(host, files.wavenet);
  CHECK_FALSE(host.told()); // not yet
  host.run({}, {});
  CHECK(host.told() == files.wavenet);
  host.run({}, {});
  CHECK_FALSE(host.told());
  host.work();
  host.is_full = true;
  host.set_file(files.lstm); // cannot be read now
  host.run({}, {});
  CHECK(host.told() == files.wavenet);
}

TEST_CASE("the thread of sound neither allocates nor waits", "[amp_plugin]") {
  using fovea::core::test::allocations, fovea::core::test::locks;
  const amp_files files;
  const auto sound = some_sound(1000);
  std::vector<float> out(1000);
  mini_host host(plugin(), rate);
  for (const std::string& file : {files.wavenet, files.lstm}) {
    host.set_file(file);
    const long allocated = allocations, locked = locks;
    host.run(sound, out); // takes the message
    const long taken = allocations - allocated, waited = locks - locked;
    CHECK(taken == 0);
    CHECK(waited == 0);
    host.work();
    const long allocated_before = allocations, locked_before = locks;
    for (int i = 0; i < 3; ++i) host.run(sound, out); // the first takes the network
    host.run(std::span(sound).first(1), std::span(out).first(1));
    const long played = allocations - allocated_before, locked_while = locks - locked_before;
    CHECK(played == 0);
    CHECK(locked_while == 0);
    host.work();
  }
}

TEST_CASE("the plug-in's ports are those that its description numbers", "[amp_plugin]") {
  std::ifstream file(std::string(FOVEA_AMP_PLUGIN).substr(0, std::string_view(FOVEA_AMP_PLUGIN).rfind('/')) +
                     "/amp.ttl");
  std::stringstream text;
  text << file.rdbuf();
  int index = 0;
  for (const char* symbol : {"control", "notify", "in", "out", "input_gain", "output_level"}) {
    const std::string numbered =
        "lv2:index " + std::to_string(index++) + " ;\n\t\tlv2:symbol \"" + symbol + "\" ;";
    CHECK(text.str().find(numbered) != std::string::npos);
  }
  CHECK(text.str().find(std::string("<") + plugin().URI + ">\n\ta lv2:Plugin") != std::string::npos);
}
