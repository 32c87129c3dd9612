// Names of classes, and which line of a file names which class.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nnapi/result.h"

namespace nnvk::tools::answers {

struct Labels {
  std::vector<std::string> names;  // by line, or by number if each line begins with one; "" for a class without a name
  std::string source;              // the file, for messages
};

// Reads labels: one per line, or lines that begin with the number of the class ("17 cat"). Drops carriage returns.
Result<Labels> read_labels(const std::filesystem::path& path);
// Does the same with the text of a file. The result is empty if the text names no class.
std::optional<Labels> labels_in(std::string_view text, std::string source);

// Returns whether the first label stands for no class: "???", "background" and the like.
bool begins_with_background(const Labels& labels);

// The label of class c is names[c + offset]. Some files leave out the background that a model counts (-1), others name one that a
// model does not count (1). The result is empty if the file does not fit to a model with this many classes. A file may go on with
// remarks after an empty line.
std::optional<int> label_offset(const Labels& labels, size_t classes);
// Does the same for a model that does not say how many classes it has, and counts no background.
int label_offset_without_count(const Labels& labels);

// Returns the label, or "class N" for a class without one.
std::string class_name(size_t number, const std::string& label);
// Returns the text in small letters, if it is ASCII.
std::string lower(std::string text);

// Returns the label of a class; "background" for class 0 if the file leaves that out, "" for a class without a name.
std::string label_of(const Labels& labels, size_t number, int offset);

}  // namespace nnvk::tools::answers
