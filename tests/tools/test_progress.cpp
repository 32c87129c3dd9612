// Progress rewrites its line on a terminal; elsewhere it prints a line now and then.
#include "tools/command/progress.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

namespace nnvk::tools {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

std::string text_of(std::FILE* file) {
  std::fflush(file);
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

// The text that two updates write to a file.
std::string written_to_file(milliseconds line_every) {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress("cases", 4, Beat::kUpdates, line_every, file);
    progress.update(1, "first");
    progress.update(2, "second");
  }
  return text_of(file);
}

TEST(Progress, ElsewhereThanOnATerminalIsALineSoOften) {
  const std::string text = written_to_file(milliseconds(0));
  EXPECT_THAT(text, StartsWith("cases [######                  ] 1/4, about 0 s left first\ncases ["));
  EXPECT_THAT(text, HasSubstr("2/4, about 0 s left second\n"));
}

TEST(Progress, IsSilentForWhatIsOverSoonerThanThat) { EXPECT_EQ(written_to_file(Progress::kLineEvery), ""); }

// A single step may take minutes, such as the compilation of a large model.
TEST(Progress, ShowsAlsoWhileNoUpdateComes) {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress("compiling", Progress::kUnknown, Beat::kThread, milliseconds(20), file);
    std::this_thread::sleep_for(milliseconds(500));
  }
  EXPECT_THAT(text_of(file), StartsWith("compiling, 0 s so far\ncompiling, 0 s so far\n"));
}

TEST(Progress, OnATerminalIsRenewedAndErased) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) GTEST_SKIP() << "no terminal here";
  std::FILE* const screen = ::fdopen(::open(::ptsname(terminal), O_RDWR | O_NOCTTY), "w");
  ASSERT_NE(screen, nullptr);
  {
    Progress progress("cases", 4, Beat::kThread, Progress::kLineEvery, screen);
    progress.update(1, "first");
  }
  std::fflush(screen);
  // The kernel hands a terminal's text over bit by bit.
  constexpr int kMostMilliseconds = 5000;
  std::string text;
  pollfd readable{terminal, POLLIN, 0};
  while ((text.empty() || !text.substr(1).ends_with("\r\033[K")) && ::poll(&readable, 1, kMostMilliseconds) > 0) {
    std::array<char, 256> bytes{};
    const ssize_t count = ::read(terminal, bytes.data(), bytes.size());
    ASSERT_GT(count, 0);
    text.append(bytes.data(), static_cast<size_t>(count));
  }
  EXPECT_THAT(text, StartsWith("\r\033[Kcases [######"));
  EXPECT_TRUE(text.ends_with("\r\033[K"));
  std::fclose(screen);
  ::close(terminal);
}

}  // namespace
}  // namespace nnvk::tools
