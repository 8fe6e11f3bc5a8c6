#pragma once

// Chat templates: messages as the prompt that a language model was taught.

#include <fovea/runtime/chat/chat_template.hpp>
