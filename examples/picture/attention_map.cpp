#include "attention_map.hpp"

#include "canvas.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

namespace picture {
namespace {

using nlohmann::json;

float largest(const attention_map& map) {
  return std::max(1e-6f, *std::max_element(map.weights.begin(), map.weights.end()));
}

std::string two_decimals(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", x);
  return text.data();
}

/// The extent of a map without its texts at the left and above.
struct grid {
  double cell;
  double text() const { return std::min(12.0, cell - 2); }
};

double rows_text(const canvas& to, const attention_map& map, grid g) {
  double width = 0;
  for (const std::string& row : map.rows) width = std::max(width, to.text_width(row, g.text()));
  return width + 6;
}
double columns_text(const canvas& to, const attention_map& map, grid g) {
  double width = 0;
  for (const std::string& column : map.columns) width = std::max(width, to.text_width(column, g.text()));
  return width + 6;
}

/// Draws a map whose first cell has its corner there; column names stand above it, row names at its left.
void draw(canvas& to, const attention_map& map, point corner, grid g) {
  const double width = g.cell * static_cast<double>(map.columns.size()),
               height = g.cell * static_cast<double>(map.rows.size());
  const float most = largest(map);
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    for (std::size_t j = 0; j < map.columns.size(); ++j)
      to.fill({corner.x + g.cell * static_cast<double>(j), corner.y + g.cell * static_cast<double>(i)},
              g.cell - 1, g.cell - 1,
              between({0.95, 0.96, 0.98}, blue, std::clamp(map.at(i, j) / most, 0.0f, 1.0f)));
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    to.text({corner.x - 6, corner.y + g.cell * (static_cast<double>(i) + 0.5)}, map.rows[i],
            {.size = g.text(), .anchor = 1});
  for (std::size_t j = 0; j < map.columns.size(); ++j)
    to.text({corner.x + g.cell * (static_cast<double>(j) + 0.5), corner.y - 6}, map.columns[j],
            {.size = g.text(), .angle = -90});
  to.text({corner.x, corner.y + height + 12}, map.title, {.size = 11, .ink = grey});
  const double scale = std::min(60.0, width / 3);
  for (int i = 0; i < 20; ++i)
    to.fill({corner.x + width - scale + scale / 20 * i, corner.y + height + 22}, scale / 20 + 0.3, 5,
            between({0.95, 0.96, 0.98}, blue, i / 19.0));
  to.text({corner.x + width - scale - 4, corner.y + height + 24.5}, "0",
          {.size = 9, .anchor = 1, .ink = grey});
  to.text({corner.x + width + 3, corner.y + height + 24.5}, two_decimals(most), {.size = 9, .ink = grey});
}

void save_picture(std::span<const attention_map> maps, const std::filesystem::path& file) {
  canvas to;
  const grid g{maps.size() == 1 ? 24.0 : 13.0};
  double left = 0, above = 0, width = 0, height = 0;
  for (const attention_map& map : maps) {
    left = std::max(left, rows_text(to, map, g)), above = std::max(above, columns_text(to, map, g));
    width = std::max({width, g.cell * static_cast<double>(map.columns.size()), to.text_width(map.title, 11)});
    height = std::max(height, g.cell * static_cast<double>(map.rows.size()));
  }
  const auto across = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(maps.size()))));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::size_t row = i / across, column = i % across;
    draw(to, maps[i],
         {left + static_cast<double>(column) * (left + width + 36),
          above + static_cast<double>(row) * (above + height + 46)},
         g);
  }
  to.save(file);
}

json as_json(std::span<const attention_map> maps) {
  json all = json::array();
  for (const attention_map& map : maps) {
    json weights = json::array();
    for (std::size_t i = 0; i < map.rows.size(); ++i) {
      json row = json::array();
      for (std::size_t j = 0; j < map.columns.size(); ++j)
        row.push_back(std::round(static_cast<double>(map.at(i, j)) * 1e5) / 1e5);
      weights.push_back(row);
    }
    all.push_back({{"title", map.title}, {"rows", map.rows}, {"columns", map.columns}, {"weights", weights}});
  }
  return {{"maps", all}};
}

constexpr const char* page_begin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention</title>
<style>
body { font: 15px/1.4 sans-serif; margin: 1.5em; color: #222; }
table { border-collapse: separate; border-spacing: 1px; margin-top: 1em; }
th { font-weight: normal; padding: 0 .4em; white-space: nowrap; }
thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; padding: .4em 0; }
tbody th { text-align: right; }
td { width: 1.7em; height: 1.7em; }
.lit { font-weight: bold; }
output { display: block; min-height: 1.5em; color: #555; }
</style>
</head>
<body>
<select aria-label="map"></select>
<table></table>
<output>Point at a row, a column or a cell.</output>
<script>
const maps = )";
constexpr const char* page_end = R"(.maps;
const select = document.querySelector("select"), table = document.querySelector("table"), said = document.querySelector("output");
maps.forEach((map, i) => select.add(new Option(map.title || "map " + (i + 1), i)));
select.hidden = maps.length < 2;
function cell(kind, text) { const c = document.createElement(kind); c.textContent = text; return c; }
function show(map) {
  const most = Math.max(1e-6, ...map.weights.flat());
  const shade = (w, top) => { const s = Math.min(1, w / top); return `rgb(${242 - 234 * s}, ${245 - 176 * s}, ${250 - 102 * s})`; };
  const head = document.createElement("tr"), heads = map.columns.map(word => cell("th", word));
  head.append(cell("td", ""), ...heads);
  const top = document.createElement("thead"), body = document.createElement("tbody");
  top.append(head);
  const names = map.rows.map(word => cell("th", word)), cells = [];
  function paint(row, column) {
    cells.forEach((line, i) => {
      const best = row === i ? Math.max(1e-6, ...map.weights[i]) : most;
      line.forEach((c, j) => {
        c.style.background = shade(map.weights[i][j], best);
        c.style.opacity = (row === null || row === i) && (column === null || column === j) ? 1 : .25;
      });
    });
    names.forEach((c, i) => c.classList.toggle("lit", i === row));
    heads.forEach((c, j) => c.classList.toggle("lit", j === column));
  }
  map.rows.forEach((word, i) => {
    const line = document.createElement("tr");
    cells.push(map.columns.map((other, j) => {
      const c = cell("td", "");
      c.onmouseenter = () => { paint(i, null); said.textContent = `${word} looks at ${other}: ${map.weights[i][j].toFixed(3)}`; };
      return c;
    }));
    names[i].onmouseenter = () => paint(i, null);
    line.append(names[i], ...cells[i]);
    body.append(line);
  });
  heads.forEach((c, j) => c.onmouseenter = () => paint(null, j));
  table.onmouseleave = () => paint(null, null);
  table.replaceChildren(top, body);
  paint(null, null);
}
select.onchange = () => show(maps[select.value]);
show(maps[0]);
</script>
</body>
</html>
)";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw fovea::error(file.string() + ": cannot be written");
}

/// JSON that cannot end the script around it.
std::string inside_script(const json& value) {
  const std::string from = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string text;
  for (const char c : from) {
    if (c == '<') // only inside strings
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

} // namespace

void save(std::span<const attention_map> maps, const std::filesystem::path& file) {
  if (maps.empty()) throw fovea::error(file.string() + ": there is no map to write");
  for (const attention_map& map : maps)
    if (map.rows.empty() || map.columns.empty() || map.weights.size() != map.rows.size() * map.columns.size())
      throw fovea::error(file.string() + ": map \"" + map.title + "\": expected a weight for each of " +
                         std::to_string(map.rows.size()) + " rows and " + std::to_string(map.columns.size()) +
                         " columns, found " + std::to_string(map.weights.size()));
  const std::string ending = file.extension().string();
  if (ending == ".svg" || ending == ".png")
    save_picture(maps, file);
  else if (ending == ".html")
    write(file, page_begin + inside_script(as_json(maps)) + page_end);
  else if (ending == ".json")
    write(file, as_json(maps).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  else
    throw fovea::error(file.string() + ": expected a name that ends in .svg, .png, .html or .json");
}

std::vector<attention_map> read_attention_maps(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) { throw fovea::error(file.string() + ": " + what); };
  const fovea::core::json_document all = fovea::core::load_json(file);
  std::vector<attention_map> maps;
  try {
    for (const json& one : all->at("maps")) {
      attention_map map{one.value("title", ""), one.at("rows"), one.at("columns"), {}};
      const auto weights = one.at("weights").get<std::vector<std::vector<float>>>();
      if (weights.size() != map.rows.size())
        fail("map " + std::to_string(maps.size()) + ": expected " + std::to_string(map.rows.size()) +
             " rows of weights, found " + std::to_string(weights.size()));
      for (const std::vector<float>& row : weights) {
        if (row.size() != map.columns.size())
          fail("map " + std::to_string(maps.size()) + ": expected rows of " +
               std::to_string(map.columns.size()) + " weights, found one of " + std::to_string(row.size()));
        map.weights.insert(map.weights.end(), row.begin(), row.end());
      }
      maps.push_back(std::move(map));
    }
  } catch (const json::exception&) {
    fail("expected {\"maps\": [{\"title\", \"rows\", \"columns\", \"weights\"}]}");
  }
  if (maps.empty()) fail("holds no map");
  return maps;
}

} // namespace picture
