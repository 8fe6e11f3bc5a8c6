// Tokens of GPT-2, as in bench/calls.cpp, in llama.cpp: calls_llama FOLDER CASE COUNT. bench/peers/arm_models.py makes FOLDER.
//
//     aarch64-linux-gnu-g++ -std=c++20 -O3 -I LLAMA/include -I LLAMA/ggml/include bench/peers/calls_llama.cpp
//       BUILD/src/libllama.a BUILD/ggml/src/libggml{,-cpu,-base}.a -ldl -pthread

#include <cstdlib>
#include <llama.h>
#include <string>

int main(int count, char** words) {
  const std::string name = count == 4 ? words[2] : "";
  if (name != "gpt2/f32" && name != "gpt2/q8_0") return 2;
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  const std::string file = std::string(words[1]) + "/gpt2-" + name.substr(5) + ".gguf";
  llama_model* model = llama_model_load_from_file(file.c_str(), llama_model_default_params());
  if (model == nullptr) return 1;
  llama_context_params options = llama_context_default_params();
  options.n_ctx = options.n_batch = options.n_ubatch = 256;
  options.n_threads = options.n_threads_batch = 1;
  llama_context* context = llama_init_from_model(model, options);
  if (context == nullptr) return 1;
  llama_token one = 7;
  [[maybe_unused]] volatile float heard = 0;
  for (int i = 0; i < std::atoi(words[3]); ++i) {
    if (llama_decode(context, llama_batch_get_one(&one, 1)) != 0) return 1;
    heard = llama_get_logits_ith(context, -1)[0];
  }
}
