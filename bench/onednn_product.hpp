#pragma once

// oneDNN's matrix product with weights in a layout of its own choice, as a peer of bench/product.cpp.

#include <cstddef>
#include <dnnl.hpp>
#include <omp.h>
#include <string>

namespace fovea::core::bench {

/// out [rows, columns] = a [rows, depth] times the transpose of weights [columns, depth], which are laid out
/// once.
class onednn_product {
public:
  onednn_product(std::size_t rows, std::size_t columns, std::size_t depth, float* a, float* weights,
                 float* out) {
    using namespace dnnl;
    const auto m = static_cast<memory::dim>(rows), n = static_cast<memory::dim>(columns),
               k = static_cast<memory::dim>(depth);
    constexpr auto f32 = memory::data_type::f32;
    const memory::desc left({m, k}, f32, memory::format_tag::ab), right({k, n}, f32, memory::format_tag::any),
        made({m, n}, f32, memory::format_tag::ab), given({k, n}, f32, memory::format_tag::ba);
    const matmul::primitive_desc chosen(matmul::desc(left, right, made), engine_);
    memory from(given, engine_, weights);
    weights_ = memory(chosen.weights_desc(), engine_);
    reorder(from, weights_).execute(stream_, from, weights_);
    product_ = matmul(chosen);
    a_ = memory(left, engine_, a);
    out_ = memory(made, engine_, out);
  }
  void operator()() {
    product_.execute(stream_, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, weights_}, {DNNL_ARG_DST, out_}});
    stream_.wait();
  }

  static void use_threads(int threads) { omp_set_num_threads(threads); }
  static std::string version() {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
  }

private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory a_, weights_, out_;
  dnnl::matmul product_;
};

} // namespace fovea::core::bench
