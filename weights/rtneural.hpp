#pragma once

#include <fovea/weights/weight_file.hpp>

namespace fovea::core {

/// Whether the file begins with '{', as RTNeural's JSON files do
/// (https://github.com/jatinchowdhury18/RTNeural).
bool is_rtneural(std::span<const std::byte> file);

/// Reads a network that RTNeural's scripts exported, as float32.
///
/// From Keras (an object with `layers`): the n-th layer's weights are named "layers.n. ..." and brought into
/// the layouts of PyTorch and of Fovea's words: dense and conv1d and conv2d `weight` and `bias`; gru and lstm
/// `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0` and `bias_hh_l0` (zero for an lstm, whose file has one bias);
/// batchnorm and batchnorm2d `weight`, `bias` (one and zero where the file has neither), `running_mean` and
/// `running_var`; prelu `weight` [1] or [channels]. What else a layer says is metadata ("layers.0.type",
/// "layers.0.activation", "layers.2.epsilon"), as the file writes it.
///
/// From PyTorch (a state dictionary): names and layouts as they are.
///
/// What a layer of Keras states of its sizes (`shape`, `kernel_size`, `groups`, `num_filters_in`, ...) is
/// held against its weights, and so is `in_shape`.
///
/// Throws fovea::error that names the file, the layer or tensor, what was expected and what was found.
weight_file read_rtneural(const opened_file& file);

} // namespace fovea::core
