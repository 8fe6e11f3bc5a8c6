#pragma once

#include <fovea/library/python/module.hpp>
#include <fovea/library/python/signature.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace fovea::library::python {

using texts_given = std::vector<std::string>;

/// Says by Python's warnings that a text was cut.
inline void warn(const std::string& what) {
  const nb::gil_scoped_acquire with;
  nb::module_::import_("warnings").attr("warn")(what);
}

/// A generated text as Python iterates over it: each item is the text that some tokens bring.
class pieces {
public:
  explicit pieces(text_calls::written_text text) : text_(std::move(text)) {}

  std::string next() {
    std::optional<std::string> piece;
    {
      const nb::gil_scoped_release without;
      const std::lock_guard lock(*turn_);
      while (piece = text_.writer->next(), piece && piece->empty()) {
      }
    }
    if (piece) return *std::move(piece);
    if (text_.has_grammar && !text_.writer->stopped() && text_.writer->written().ended == ended_by::length)
      warn("the text was cut before its grammar lets it end: tokens allows more");
    throw nb::stop_iteration();
  }

private:
  text_calls::written_text text_;
  std::unique_ptr<std::mutex> turn_ = std::make_unique<std::mutex>();
};

inline void define_texts(nb::class_<model>& in, const module_parts& of) {
  const std::string& app = of.texts.app;
  if (app == "embed")
    in.def(
        "embed",
        [](model& m, const texts_given& texts) {
          auto vectors = m.with_texts([&](text_calls& calls) { return calls.embed(texts, warn); });
          auto* numbers = new std::vector<float>(std::move(vectors.first));
          const nb::capsule owner(numbers,
                                  [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
          const std::size_t shape[] = {texts.size(), vectors.second};
          return nb::ndarray<nb::numpy, float, nb::ndim<2>>(numbers->data(), 2, shape, owner);
        },
        nb::arg("texts"),
        nb::sig(
            "def embed(self, texts: collections.abc.Sequence[str]) -> numpy.typing.NDArray[numpy.float32]"),
        "A vector of each text, [texts, width].");
  if (app == "classify")
    in.def(
        "classify",
        [](model& m, const texts_given& texts) {
          nb::list all;
          for (const auto& shares :
               m.with_texts([&](text_calls& calls) { return calls.classify(texts, warn); })) {
            nb::dict labels;
            for (const auto& [label, probability] : shares) labels[label.c_str()] = probability;
            all.append(labels);
          }
          return all;
        },
        nb::arg("texts"),
        nb::sig("def classify(self, texts: collections.abc.Sequence[str]) -> list[dict[str, float]]"),
        "Of each text, how probable each label is.");
  if (app == "tag")
    in.def(
        "tag",
        [](model& m, const texts_given& texts) {
          nb::list all;
          for (const auto& tags : m.with_texts([&](text_calls& calls) { return calls.tag(texts, warn); })) {
            nb::list of_text;
            for (const auto& t : tags) of_text.append(nb::make_tuple(t.token, t.label, t.probability));
            all.append(of_text);
          }
          return all;
        },
        nb::arg("texts"),
        nb::sig("def tag(self, texts: collections.abc.Sequence[str]) -> list[list[tuple[str, str, float]]]"),
        "Of each text, its tokens, each with its label and how probable that is.");
  if (app == "score")
    in.def(
        "score",
        [](model& m, const texts_given& texts) {
          return m.with_texts([&](text_calls& calls) { return calls.score(texts); });
        },
        nb::arg("texts"), nb::sig("def score(self, texts: collections.abc.Sequence[str]) -> list[float]"),
        "The logarithm of each text's probability after its first token.");
  if (app == "translate")
    in.def(
        "translate",
        [](model& m, const texts_given& texts, std::size_t beam, std::size_t best, double length_power,
           std::size_t tokens) {
          const beam_options how{.width = beam, .length_power = length_power, .best = best};
          return m.with_texts([&](text_calls& calls) { return calls.translate(texts, how, tokens); });
        },
        nb::arg("texts"), nb::kw_only(), nb::arg("beam") = 4, nb::arg("best") = 1,
        nb::arg("length_power") = 1.0, nb::arg("tokens") = 0,
        nb::sig("def translate(self, texts: collections.abc.Sequence[str], *, beam: int = 4, best: int = 1, "
                "length_power: float = 1.0, tokens: "
                "int = 0) -> list[list[str]]"),
        "The likeliest translations of each text, `best` of them, found by following `beam` at once. tokens: "
        "the most of a "
        "translation; 0: as many as a text may have.");
}

/// What a text may say: what an expression matches, or JSON that fits a schema, which is JSON or what json.dumps takes.
inline std::function<std::optional<byte_grammar>()> grammar_of(std::optional<std::string> regex,
                                                               const nb::object& schema) {
  if (regex && !schema.is_none()) throw error("regex and json_schema: expected one of them; found both");
  if (regex) return [text = *std::move(regex)] { return regular_expression(text); };
  if (schema.is_none()) return [] { return std::nullopt; };
  const bool is_text = nb::isinstance<nb::str>(schema);
  const nb::object text = is_text ? schema : nb::module_::import_("json").attr("dumps")(schema);
  return [text = nb::cast<std::string>(text)] { return json_schema(text); };
}

inline void define_generate(nb::module_& module, nb::class_<model>& in) {
  nb::class_<pieces>(module, "Pieces", "A text as it is written: an iterator over its pieces.")
      .def(
          "__iter__", [](nb::handle self) { return self; },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__next__", &pieces::next);
  in.def(
      "generate",
      [](model& m, const std::string& prompt, std::size_t tokens, double temperature, std::size_t top_k,
         double top_p, double min_p, double repetition_penalty, std::uint64_t seed, const texts_given& stop,
         std::optional<std::string> regex, const nb::object& schema) {
        sampling_options how;
        how.temperature = temperature, how.top_k = top_k, how.top_p = top_p, how.min_p = min_p;
        how.repetition_penalty = repetition_penalty, how.seed = seed;
        const auto says = grammar_of(std::move(regex), schema);
        return pieces{m.with_texts(
            [&](text_calls& calls) { return calls.generate(prompt, how, tokens, stop, says()); })};
      },
      nb::arg("prompt") = "", nb::kw_only(), nb::arg("tokens") = 200, nb::arg("temperature") = 1.0,
      nb::arg("top_k") = 0, nb::arg("top_p") = 1.0, nb::arg("min_p") = 0.0,
      nb::arg("repetition_penalty") = 1.0, nb::arg("seed") = 0, nb::arg("stop") = texts_given{},
      nb::arg("regex") = nb::none(), nb::arg("json_schema") = nb::none(),
      nb::sig(
          "def generate(self, prompt: str = '', *, tokens: int = 200, temperature: float = 1.0, top_k: "
          "int = 0, top_p: float = 1.0, min_p: "
          "float = 0.0, repetition_penalty: float = 1.0, seed: int = 0, stop: "
          "collections.abc.Sequence[str] = (), regex: str | None = None, json_schema: str | dict | bool | "
          "None = None) -> Pieces"),
      "Goes on with a text: an iterator over the pieces that come. temperature 0: always the most likely "
      "token. The same seed "
      "writes the same text. stop: strings before which it ends. regex: the text is what this expression "
      "matches. json_schema: it "
      "is JSON that fits this schema.");
}

inline void define_stream(nb::module_& module, nb::class_<model>& in, const stream_parts& of) {
  static const std::string begin = signature_of("begin", of.begin_inputs, "None"),
                           step = signature_of("step", of.step_inputs, result_text(of.step_outputs)),
                           finish = "def finish(self, positions: int) -> " + result_text(of.step_outputs),
                           about = "Starts at position 0. Inputs:" + ports_text(of.begin_inputs),
                           about_step = "Takes the next positions. Inputs:" + ports_text(of.step_inputs) +
                                        "\nOutputs:" + ports_text(of.step_outputs);
  nb::class_<live>(module, "Stream", "The model as it moves along a dim: each step takes the next positions.")
      .def(
          "begin",
          [](live& s, const nb::kwargs& given) {
            const given_arrays inputs(given);
            s.with([&](stream& of_it) { of_it.begin(inputs.tensors()); });
          },
          nb::sig(begin.c_str()), about.c_str())
      .def(
          "step",
          [](live& s, const nb::kwargs& given) {
            const given_arrays inputs(given);
            return s
                .with([&](stream& of_it) {
                  of_it.step(inputs.tensors());
                  return given_values::copied(of_it.outputs());
                })
                .by_name();
          },
          nb::sig(step.c_str()), about_step.c_str())
      .def(
          "finish",
          [](live& s, std::size_t positions) {
            return s
                .with([&](stream& of_it) {
                  of_it.finish(positions);
                  return given_values::copied(of_it.outputs());
                })
                .by_name();
          },
          nb::arg("positions"), nb::sig(finish.c_str()),
          "The sequence has ended: so many of the positions that are still to come.")
      .def(
          "reset", [](live& s, std::size_t row) { s.with([&](stream& of_it) { of_it.reset(row); }); },
          nb::arg("row"), "A row of the batch starts again at position 0.")
      .def(
          "position",
          [](live& s, std::size_t row) { return s.with([&](stream& of_it) { return of_it.position(row); }); },
          nb::arg("row") = 0, "How many positions a row has taken; -1 where there is no such row.")
      .def(
          "copy",
          [](live& s) { return std::make_unique<live>(s.with([](stream& of_it) { return of_it.copy(); })); },
          "Another stream that goes on from where this one stands.")
      .def_prop_ro_static(
          "stride", [stride = of.stride](nb::handle) { return stride; },
          "A step takes a multiple of so many positions.")
      .def_prop_ro_static(
          "latency", [latency = of.latency](nb::handle) { return latency; },
          "Outputs come so many positions later: the first are zeros.");
  in.def(
      "stream", [](model& m) { return std::make_unique<live>(m.begin_stream()); },
      nb::sig("def stream(self) -> Stream"), "A stream of the model, at position 0.");
}

/// Puts into a module what it is built from. The parts outlive it.
inline void define(nb::module_& module, const module_parts& of) {
  module.doc() = "";
  module.attr("__doc__") = programs::version_of(of.parts);
  module.attr("version") = programs::version_of(of.parts);
  nb::exception<core::error>(module, "Error", PyExc_ValueError);
  static const std::string call = signature_of("__call__", of.inputs, result_text(of.outputs)),
                           about_call = "Runs the model. Inputs:" + ports_text(of.inputs) +
                                        "\nOutputs:" + ports_text(of.outputs),
                           about = of.parts.model + ": weights in " + of.parts.format +
                                   ". Inputs:" + ports_text(of.inputs) +
                                   "\nOutputs:" + ports_text(of.outputs);
  nb::class_<model> made(module, "Model", about.c_str());
  made.def(
      "__init__",
      [&of](model* self, const std::optional<std::string>& weights,
            const std::optional<std::string>& tokenizer_file, int threads,
            const nb::kwargs& capacity) { new (self) model(of, weights, tokenizer_file, threads, capacity); },
      nb::arg("weights") = nb::none(), nb::kw_only(), nb::arg("tokenizer") = nb::none(),
      nb::arg("threads") = 0, nb::arg("capacity"),
      nb::sig("def __init__(self, weights: str | None = None, *, tokenizer: str | None = None, threads: int "
              "= 0, **capacity: int) -> None"),
      "Opens weights; those that the module is built with where no file is named. threads 0: every "
      "processor. The largest size of "
      "a dim is given by its name: Model(B=8, T=256).");
  made.def(
      "__call__", [](model& m, const nb::kwargs& given) { return m.call(given_arrays(given)).by_name(); },
      nb::sig(call.c_str()), about_call.c_str());
  define_texts(made, of);
  if (of.texts.app == "generate") define_generate(module, made);
  if (of.streams != nullptr) define_stream(module, made, *of.streams);
}

} // namespace fovea::library::python
