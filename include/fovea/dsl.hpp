#pragma once

// Declaring models: the words, shapes and compile-time checks. Needs the standard library only.

#include <fovea/dsl/activation.hpp>
#include <fovea/dsl/affine.hpp>
#include <fovea/dsl/attention.hpp>
#include <fovea/dsl/contract.hpp>
#include <fovea/dsl/convolution.hpp>
#include <fovea/dsl/ctc_loss.hpp>
#include <fovea/dsl/dim.hpp>
#include <fovea/dsl/elementwise.hpp>
#include <fovea/dsl/experts.hpp>
#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/interpolate.hpp>
#include <fovea/dsl/loss.hpp>
#include <fovea/dsl/map.hpp>
#include <fovea/dsl/mask.hpp>
#include <fovea/dsl/mel.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/dsl/norm.hpp>
#include <fovea/dsl/passes/last.hpp>
#include <fovea/dsl/pixel_shuffle.hpp>
#include <fovea/dsl/pool.hpp>
#include <fovea/dsl/position.hpp>
#include <fovea/dsl/recurrence.hpp>
#include <fovea/dsl/reduce.hpp>
#include <fovea/dsl/relative_shift.hpp>
#include <fovea/dsl/repeat.hpp>
#include <fovea/dsl/resample.hpp>
#include <fovea/dsl/rnnt_loss.hpp>
#include <fovea/dsl/scan.hpp>
#include <fovea/dsl/select.hpp>
#include <fovea/dsl/shape_words.hpp>
#include <fovea/dsl/stft.hpp>
