// What each system's folder in base/system says it does.

#include "../weights/temporary_folder.hpp"

#include <fovea/base/system/file.hpp>
#include <fovea/base/system/memory.hpp>
#include <fovea/base/system/processors.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

using namespace fovea::core;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string read_all(const std::filesystem::path& path) {
  const system::file from = system::open_to_read(path);
  std::string text(100, ' ');
  const std::ptrdiff_t got = from.read(std::as_writable_bytes(std::span(text)));
  return got < 0 ? "nothing" : text.substr(0, static_cast<std::size_t>(got));
}

} // namespace

TEST_CASE("a new file takes no name that another has") {
  const temporary_folder folder;
  system::file made = system::create(folder / "a");
  REQUIRE(made);
  CHECK(made.write(bytes_of("first")) == 5);
  CHECK(made.flush());
  CHECK_FALSE(system::create(folder / "a"));
  CHECK(errno == EEXIST);
  CHECK(read_all(folder / "a") == "first");
}

TEST_CASE("a file replaces another") {
  const temporary_folder folder;
  folder.write("old", "old"), folder.write("new", "new");
  CHECK(system::replace(folder / "new", folder / "old"));
  CHECK(system::flush_folder(folder.path()));
  CHECK(read_all(folder / "old") == "new");
  CHECK_FALSE(std::filesystem::exists(folder / "new"));
  CHECK_FALSE(system::replace(folder / "missing", folder / "old"));
  CHECK(errno == ENOENT);
  CHECK(read_all(folder / "old") == "new");
}

TEST_CASE("a file without a name gets one that is free, where there are such files") {
  const temporary_folder folder;
  const system::file unnamed = system::create_unnamed(folder.path());
  if (!unnamed) return;
  CHECK(unnamed.write(bytes_of("text")) == 4);
  folder.write("taken", "");
  CHECK_FALSE(system::name(unnamed, folder / "taken"));
  CHECK(errno == EEXIST);
  CHECK(system::name(unnamed, folder / "free"));
  CHECK(read_all(folder / "free") == "text");
}

TEST_CASE("a file is read from a place, shortened, appended to and mapped") {
  const temporary_folder folder;
  folder.write("a", "0123456789");
  system::file file = system::open_to_append(folder / "a");
  std::string two(2, ' ');
  CHECK(file.read_at(7, std::as_writable_bytes(std::span(two))) == 2);
  CHECK(two == "78");
  CHECK(file.shorten(4));
  CHECK(file.write(bytes_of("ab")) == 2);
  CHECK(read_all(folder / "a") == "0123ab");
  CHECK(file.status()->size == 6);
  const std::byte* mapped = file.map(6);
  REQUIRE((mapped != nullptr) == system::maps_files);
  if (mapped != nullptr) {
    CHECK(std::string_view(reinterpret_cast<const char*>(mapped), 6) == "0123ab");
    system::unmap(mapped, 6);
  }
  file = system::file(); // closed: some systems keep the name as long as one has it open
  CHECK(system::remove(folder / "a"));
  CHECK_FALSE(system::open_to_read(folder / "a"));
  CHECK(errno == ENOENT);
}

TEST_CASE("one file at a time has a lock, and it ends with the file", "[processes]") {
  const temporary_folder folder;
  {
    const system::file first = system::open_to_append(folder / "a"),
                       second = system::open_to_append(folder / "a");
    CHECK(first.lock());
    CHECK_FALSE(second.lock());
    CHECK(first.write(bytes_of("x")) == 1);
    CHECK(read_all(folder / "a") == "x"); // who reads is not kept from it
  }
  CHECK(system::open_to_append(folder / "a").lock());
}

TEST_CASE("memory lies where it is asked for, and pages that are given back are zeros") {
  constexpr std::size_t page = std::size_t{2} << 20;
  auto* const memory = static_cast<unsigned char*>(system::allocate(2 * page, page));
  REQUIRE(memory != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % page == 0);
  system::prefer_huge_pages(memory, 2 * page);
  memory[0] = memory[page] = 1;
  if (system::give_back_pages(memory, page)) CHECK(memory[0] == 0);
  CHECK(memory[page] == 1);
  system::free(memory);
}

TEST_CASE("who sleeps on a value is woken, however the two meet", "[threads]") {
  std::atomic<std::uint32_t> turn{0};
  constexpr std::uint32_t rounds = 20'000;
  std::thread other([&] {
    for (std::uint32_t i = 1; i < rounds; i += 2) {
      system::sleep_while(turn, i - 1);
      turn = i + 1;
      system::wake_all(turn);
    }
  });
  for (std::uint32_t i = 0; i < rounds; i += 2) {
    turn = i + 1;
    system::wake_one(turn);
    system::sleep_while(turn, i + 1);
  }
  other.join();
  CHECK(turn == rounds);
}
