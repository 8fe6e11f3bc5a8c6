"""Draws well-formed declarations of models: statements over values whose shapes are known, as C++.

A value has an element type ("f32" or "i32") and a shape: numbers, symbols ("B", "T", "S"), and what only the library
names, such as what a stride leaves of T ("#1"), which two values share only where one was made of the other.
"""

import dataclasses
import random
import re

WIDTHS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 24, 33, 40)
SYMBOLS = ("B", "T", "S")
PLACE = re.compile(r"\$(\d|body)")


@dataclasses.dataclass(eq=False)
class Value:
    name: str
    shape: tuple
    type: str = "f32"
    is_input: bool = False

    @property
    def rank(self):
        return len(self.shape)

    def fixed(self, axis=-1):
        return isinstance(self.shape[axis], int)


@dataclasses.dataclass(eq=False)
class Body:
    """What a lambda holds: its parameters, its statements, and the values that it gives."""

    parameters: list
    statements: list
    results: list


@dataclasses.dataclass(eq=False)
class Statement:
    """`const expr result = text;` with $0, $1, ... for operands and $body for the lambda."""

    result: Value
    text: str
    operands: list
    body: Body = None

    def uses(self):
        inner = [value for each in self.body.statements for value in each.uses()] + self.body.results if self.body else []
        return self.operands + inner


def values_used(body):
    return {id(value) for statement in body.statements for value in statement.uses()} | {id(v) for v in body.results}


def leave_out_unused(body):
    """Leaves out statements whose results nothing uses."""
    for each in body.statements:
        if each.body:
            leave_out_unused(each.body)
    count = None
    while count != len(body.statements):
        count, used = len(body.statements), values_used(body)
        body.statements = [each for each in body.statements if id(each.result) in used]


class Unfit(Exception):
    """No value that there is fits what was drawn."""


def dims(shape):
    return "{" + ", ".join(str(each) for each in shape) + "}"


def nameable(shape):
    return all(isinstance(each, int) or each in SYMBOLS for each in shape)


class Drawing:
    """One model. `smooth`: only what has a derivative everywhere; `forward`: much of what streams refuse is left out.
    `ahead`: where it is, some positions ahead are seen."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.smooth = self.random.random() < 0.5
        self.forward = self.random.random() < 0.5
        self.ahead = self.random.random() < 0.5
        self.counts = {}
        self.inputs = []
        self.visible = []  # values by the depth of lambdas
        self.inside_scan = 0
        self.inside_repeat = 0
        self.body = self.draw()

    # Names and choices

    def fresh(self, stem):
        self.counts[stem] = self.counts.get(stem, 0) + 1
        return f"{stem}{self.counts[stem]}"

    def parameter(self):
        return '"' + self.fresh("p") + '"'

    def chance(self, share):
        return self.random.random() < share

    def pick(self, fits=lambda value: True, type="f32"):
        found = [value for value in self.visible if value.type == type and fits(value)]
        if not found:
            raise Unfit
        return self.random.choice(found[-4:] if self.chance(0.7) else found)

    def width(self):
        return self.random.choice(WIDTHS)

    # The model

    def draw(self):
        body = Body([], [], [])
        self.input("x", ("B", "T", self.width()))
        if self.chance(0.5):
            self.input("y", ("B", "S", self.width()))
        if self.chance(0.4):
            self.input("ids", ("B", "T"), "i32")
        if self.chance(0.4):
            self.input("lengths", ("B",), "i32")
        if self.chance(0.2):
            self.input("z", ("T", self.width()))
        if self.chance(0.15):
            self.input("plane", ("B", self.random.randint(3, 9), self.random.randint(3, 9), self.random.randint(1, 5)))
        self.extend(body, self.random.randint(4, 14))
        used = {id(value) for statement in body.statements for value in statement.uses()}
        loose = [each.result for each in body.statements if id(each.result) not in used and each.result.type == "f32"]
        body.results = loose[-6:] or [body.statements[-1].result]
        leave_out_unused(body)
        return body

    def input(self, name, shape, type="f32"):
        value = Value(name, shape, type, True)
        self.inputs.append(value)
        self.visible.append(value)

    def extend(self, body, count):
        wanted = len(body.statements) + count
        tries = 0
        while len(body.statements) < wanted and tries < 40 * count:
            tries += 1
            try:
                statement = self.random.choice(self.words())(self)
            except Unfit:
                continue
            if statement.result.rank > 4 or statement.result.rank < 1:
                continue
            body.statements.append(statement)
            self.visible.append(statement.result)
        if not body.statements:
            x = self.pick()
            body.statements.append(Statement(Value(self.fresh("v"), x.shape), "tanh($0)", [x]))
            self.visible.append(body.statements[-1].result)

    def words(self):
        return WORDS_OF_STEPS if self.inside_scan else WORDS

    def made(self, text, shape, *operands, type="f32", body=None):
        return Statement(Value(self.fresh("v"), tuple(shape), type), text, list(operands), body)

    # Elementwise

    def unary(self):
        x = self.pick()
        smooth = ("tanh($0)", "sigmoid($0)", "gelu($0)", "gelu_tanh($0)", "silu($0)", "softplus($0)", "sin($0)",
                  "cos($0)", "erf($0)", "exp(tanh($0))", "log($0 * $0 + 1.0)", "sqrt($0 * $0 + 0.5)", "-$0",
                  "$0 * 0.5 + 1.0", "1.0 / (1.0 + $0 * $0)", "dropout($0, 0.5)",
                  "map($0, [](scalar s) { return s * tanh(s) - 0.25; })")
        kinked = ("relu($0)", "abs($0)", "max($0, 0.1)", "min($0, 0.5)", "stop_gradient($0)",
                  "where($0 > 0.0, $0, 0.1 * $0)")
        return self.made(self.random.choice(smooth if self.smooth else smooth + kinked), x.shape, x)

    def binary(self):
        x = self.pick()
        y = self.pick(lambda other: other.rank <= x.rank and all(
            a == b or a == 1 for a, b in zip(reversed(other.shape), reversed(x.shape))))
        words = ["$0 + $1", "$1 - $0", "$0 * $1", "$0 / (1.5 + $1 * $1)", "$0 * sigmoid($1)"]
        if not self.smooth:
            words += ["max($0, $1)", "min($1, $0)", "map($0, $1, [](scalar a, scalar b) { return abs(a - b) * a; })"]
        return self.made(self.random.choice(words), x.shape, x, y)

    def chosen(self):
        ids, x = self.pick(type="i32"), self.pick()
        if x.shape[: ids.rank] != ids.shape:
            raise Unfit
        condition = "$1 > 2"
        for _ in range(x.rank - ids.rank):
            condition = f"unsqueeze({condition}, {ids.rank})" if condition == "$1 > 2" else f"unsqueeze({condition}, {ids.rank})"
        return self.made(f"where({condition}, $0, $0 * $0 - 1.0)", x.shape, x, ids)

    # Affine

    def linear(self):
        x = self.pick(lambda x: x.fixed())
        out = self.width()
        options = self.random.choice(("", ", {.bias = false}"))
        return self.made(f"linear($0, {self.parameter()}, {out}{options}) * {0.5 if x.shape[-1] > 8 else 1.0}",
                         x.shape[:-1] + (out,), x)

    def matmul(self):
        x = self.pick(lambda x: x.rank >= 2 and x.fixed())
        y = self.pick(lambda y: y.rank == x.rank and y.shape[:-2] == x.shape[:-2] and y.shape[-1] == x.shape[-1])
        return self.made("matmul($0, transpose($1)) * 0.3", x.shape[:-1] + (y.shape[-2],), x, y)

    def gather(self):
        ids = self.pick(type="i32")
        out = self.width()
        return self.made(f"embedding($0, {self.parameter()}, 7, {out})", ids.shape + (out,), ids)

    # Norms and reductions

    def norm(self):
        x = self.pick(lambda x: x.fixed() and x.shape[-1] > 1)
        word = self.random.choice(("layer_norm($0, NAME)", "rms_norm($0, NAME)", "layer_norm($0, NAME, {.affine = false})",
                                   "softmax($0)", "log_softmax($0)", "group_norm($0, NAME, GROUPS)", "batch_norm($0, NAME)"))
        groups = self.random.choice([n for n in range(1, x.shape[-1] + 1) if x.shape[-1] % n == 0])
        if ("group_norm" in word or "batch_norm" in word) and (x.rank < 2 or self.inside_scan):
            raise Unfit
        return self.made(word.replace("NAME", self.parameter()).replace("GROUPS", str(groups)), x.shape, x)

    def softmax_along(self):
        x = self.pick(lambda x: x.rank >= 2)
        axis = self.random.randrange(x.rank)
        if self.forward and x.shape[axis] == "T":
            raise Unfit
        return self.made(f"softmax($0, axis({axis}))", x.shape, x)

    def reduce(self):
        x = self.pick(lambda x: x.rank >= 2)
        axis = self.random.randrange(x.rank)
        if self.forward and x.shape[axis] == "T":
            raise Unfit
        keep = self.chance(0.5)
        word = self.random.choice(("sum", "mean") if self.smooth else ("sum", "mean", "max_over", "min_over"))
        shape = x.shape[:axis] + ((1,) if keep else ()) + x.shape[axis + 1 :]
        return self.made(f"{word}($0, axis({axis}), {{.keep = {'true' if keep else 'false'}}})", shape, x)

    # Shapes

    def permute(self):
        x = self.pick(lambda x: x.rank >= 2)
        order = list(range(x.rank))
        self.random.shuffle(order)
        return self.made(f"permute($0, {dims(order)})", [x.shape[i] for i in order], x)

    def folded(self):
        x = self.pick(lambda x: x.fixed() and x.shape[-1] > 1 and x.rank <= 3 and nameable(x.shape))
        parts = self.random.choice([n for n in range(1, x.shape[-1] + 1) if x.shape[-1] % n == 0])
        shape = x.shape[:-1] + (parts, x.shape[-1] // parts)
        return self.made(f"reshape($0, {dims(shape)})", shape, x)

    def flattened(self):
        x = self.pick(lambda x: x.rank >= 3 and x.fixed() and x.fixed(-2) and nameable(x.shape))
        shape = x.shape[:-2] + (x.shape[-1] * x.shape[-2],)
        return self.made(f"reshape($0, {dims(shape)})", shape, x)

    def unsqueezed(self):
        x = self.pick(lambda x: x.rank <= 3)
        at = self.random.randint(0, x.rank)
        return self.made(f"unsqueeze($0, {at})", x.shape[:at] + (1,) + x.shape[at:], x)

    def stretched(self):
        x = self.pick(lambda x: 1 in x.shape and nameable(x.shape))
        shape = tuple(self.random.randint(2, 5) if each == 1 else each for each in x.shape)
        return self.made(f"broadcast($0, {dims(shape)})", shape, x)

    def sliced(self):
        x = self.pick(lambda x: any(isinstance(each, int) and each > 1 for each in x.shape))
        axis = self.random.choice([i for i, each in enumerate(x.shape) if isinstance(each, int) and each > 1])
        first = self.random.randrange(x.shape[axis])
        last = self.random.randint(first + 1, x.shape[axis])
        return self.made(f"slice($0, axis({axis}), {first}, {last})",
                         x.shape[:axis] + (last - first,) + x.shape[axis + 1 :], x)

    def last_position(self):
        x = self.pick(lambda x: "T" in x.shape and x.rank >= 2)
        axis = x.shape.index("T")
        return self.made(f"last($0, axis({axis}))", x.shape[:axis] + x.shape[axis + 1 :], x)

    def joined(self):
        x = self.pick(lambda x: x.fixed())
        y = self.pick(lambda y: y.rank == x.rank and y.shape[:-1] == x.shape[:-1] and y.fixed())
        return self.made("concat(axis(-1), $0, $1)", x.shape[:-1] + (x.shape[-1] + y.shape[-1],), x, y)

    def padded(self):
        x = self.pick(lambda x: x.fixed())
        before, after = self.random.randint(0, 2), self.random.randint(0, 3)
        return self.made(f"pad($0, axis(-1), {before}, {after}, 0.5)", x.shape[:-1] + (x.shape[-1] + before + after,), x)

    def reversed(self):
        x = self.pick()
        axis = self.random.randrange(x.rank)
        if self.forward and x.shape[axis] == "T":
            raise Unfit
        return self.made(f"reverse($0, axis({axis}))", x.shape, x)

    # Attention and positions

    def attention(self):
        q = self.pick(lambda x: x.rank in (2, 3) and x.fixed() and not x.fixed(-2) and (x.rank == 2 or not x.fixed(0)))
        k = self.pick(lambda x: x.rank == q.rank and x.fixed() and x.shape[:-2] == q.shape[:-2] and not x.fixed(-2))
        heads, each = self.random.choice((1, 1, 2, 3, 4, 6, 8)), self.random.choice((1, 2, 4, 5, 8, 16))
        kv_heads = self.random.choice([n for n in range(1, heads + 1) if heads % n == 0])
        of_values = self.random.choice((each, each, 3, 8))
        options = [f".heads = {heads}", f".kv_heads = {kv_heads}"]
        scores = [None, None, None, ".score = dot", ".score = [](scalar s, scalar i, scalar j) { return s * 0.5 - 0.01 * (i - j); }",
                  f".score = [](scalar s, scalar, scalar, scalar head) {{ return tanh(s) * (head + 1); }}",
                  f".score = alibi({heads})" if heads in (1, 2, 4, 8) else None]
        score = self.random.choice(scores)
        masks = [None, ".mask = window(%d)" % self.random.randint(1, 6), ".mask = causal", ".mask = causal",
                 ".mask = causal | prefix(2)", ".mask = window(%d, %d)" % (self.random.randint(0, 4), self.random.randint(0, 3)),
                 ".mask = causal & [](scalar q, scalar k) { return (q - k) % 2 == 0; }",
                 ".mask = [](scalar q, scalar k) { return k % 3 != 1 || q == k; }"]
        if self.forward and q.shape[-2] == "T" and k.shape[-2] == "T":
            masks = [each for each in masks if each and ("window(" in each and (self.ahead or "," not in each) or each.startswith(".mask = causal &") or each == ".mask = causal")]
        mask = self.random.choice(masks)
        lengths = [v for v in self.visible if v.type == "i32" and v.shape == q.shape[:1]]
        operands = [q, k]
        if lengths and q.rank == 3 and mask is None and self.chance(0.7):
            mask = ".mask = padding($2)"
            operands.append(lengths[0])
        options += [each for each in (score, mask) if each]
        if self.chance(0.15):
            options.append(".soft_cap = 2.0")
        project = lambda which, width: f"linear({which}, {self.parameter()}, {width}, {{.bias = false}})"
        text = (f"attention({project('$0', heads * each)}, {project('$1', kv_heads * each)}, "
                f"{project('$1', kv_heads * of_values)}, {{{', '.join(options)}}})")
        return self.made(text, q.shape[:-1] + (heads * of_values,), *operands)

    def rope(self):
        x = self.pick(lambda x: x.rank >= 2 and x.fixed() and x.shape[-1] % 2 == 0 and not x.fixed(-2))
        heads = self.random.choice([n for n in (1, 2, 3, 4) if x.shape[-1] % (2 * n) == 0])
        pairing = self.random.choice(("halves", "neighbours"))
        return self.made(f"rope($0, {{.heads = {heads}, .pairing = {pairing}}})", x.shape, x)

    def positions(self):
        x = self.pick(lambda x: x.rank in (2, 3) and x.fixed() and x.shape[-1] % 2 == 0 and x.shape[-2] in SYMBOLS)
        if self.chance(0.5):
            return self.made("$0 + sinusoidal_positions($0)", x.shape, x)
        return self.made(f"$0 + learned_positions($0, {self.parameter()}, {{.context = 64, .width = {x.shape[-1]}}})",
                         x.shape, x)

    # Convolution and pooling

    def sequence(self):
        return self.pick(lambda x: x.rank == 3 and x.fixed() and not x.fixed(-2) and not x.fixed(0))

    def convolution(self):
        x = self.sequence()
        groups = self.random.choice([n for n in (1, 1, 1, 2, 3, x.shape[-1]) if x.shape[-1] % n == 0])
        out = groups * self.random.randint(1, max(1, 24 // groups))
        width, dilation = self.random.randint(1, 4), self.random.randint(1, 3)
        padding = "causal" if self.forward and not self.ahead or self.chance(0.5) else "same"
        return self.made(f"conv1d($0, {self.parameter()}, {out}, {width}, {{.dilation = {dilation}, .padding = {padding}, "
                         f".groups = {groups}}})", x.shape[:-1] + (out,), x)

    def strided(self):
        x = self.sequence()
        out, stride = self.width(), self.random.choice((2, 2, 3))
        return self.made(f"conv1d($0, {self.parameter()}, {out}, {stride}, {{.stride = {stride}, .padding = causal}})",
                         (x.shape[0], self.fresh("#"), out), x)

    def pool(self):
        x = self.sequence()
        if self.smooth or self.chance(0.5):
            return self.made("avg_pool($0, 2)", (x.shape[0], self.fresh("#"), x.shape[-1]), x)
        return self.made("max_pool($0, 3, {.stride = 1, .padding = same})", x.shape, x)

    def plane(self):
        x = self.pick(lambda x: x.rank == 4 and all(x.fixed(i) for i in (1, 2, 3)) and not x.fixed(0))
        out, high, wide = self.width(), self.random.randint(1, min(3, x.shape[1])), self.random.randint(1, min(3, x.shape[2]))
        return self.made(f"conv2d($0, {self.parameter()}, {out}, {{{high}, {wide}}})",
                         (x.shape[0], x.shape[1] - high + 1, x.shape[2] - wide + 1, out), x)

    # Loops

    def recurrence(self):
        x = self.sequence()
        word = self.random.choice(("gru", "lstm", "elman"))
        hidden = self.random.choice((1, 3, 4, 8, 17, 24))
        options = []
        operands = [x]
        layers = self.random.choice((1, 1, 2))
        if layers > 1:
            options.append(f".layers = {layers}")
        both = not self.forward and self.chance(0.2)
        if not both and not self.forward and self.chance(0.2):
            options.append(".reverse = true")
        lengths = [v for v in self.visible if v.type == "i32" and v.shape == x.shape[:1]]
        if lengths and self.chance(0.3):
            options.append(".lengths = $1")
            operands.append(lengths[0])
        tail = f", {{{', '.join(options)}}}" if options else ""
        head = f"bidirectional({word}, $0" if both else f"{word}($0"
        return self.made(f"{head}, {self.parameter()}, {hidden}{tail})",
                         x.shape[:-1] + (hidden * (2 if both else 1),), *operands)

    def repeat(self):
        if self.inside_repeat or self.inside_scan:
            raise Unfit
        x = self.pick(lambda x: x.fixed())
        layers = self.random.choice((1, 2, 3))
        carried = Value(self.fresh("c"), x.shape)
        body = self.lambda_of([carried], "inside_repeat", self.random.randint(1, 5))
        same = [v for v in self.made_in(body) if v.shape == x.shape]
        if same:
            result = self.adding(body, f"0.5 * $0 + $1", x.shape, carried, same[-1])
        else:
            wide = [v for v in self.made_in(body) if v.fixed() and v.shape[:-1] == x.shape[:-1]]
            of = wide[-1] if wide else carried
            result = self.adding(body, f"$0 * 0.5 + tanh(linear($1, {self.parameter()}, {x.shape[-1]}))", x.shape,
                                 carried, of)
        body.results = [result]
        return self.made(f'repeat("{self.fresh("h")}", {layers}, $0, $body)', x.shape, x, body=body)

    def scan(self):
        if self.inside_scan:
            raise Unfit
        x = self.pick(lambda x: x.rank == 3 and x.shape[0] == "B" and x.shape[1] in SYMBOLS and x.fixed())
        hidden = self.random.choice((1, 3, 5, 8, 16))
        step, state = Value(self.fresh("c"), ("B", x.shape[-1])), Value(self.fresh("c"), ("B", hidden))
        outer, self.visible = self.visible, [v for v in self.visible if "T" not in v.shape and not any(
            str(each).startswith("#") for each in v.shape) and nameable(v.shape)]
        body = self.lambda_of([step, state], "inside_scan", self.random.randint(1, 4))
        self.visible = outer
        rows = [v for v in self.made_in(body) if v.rank == 2 and v.shape[0] == "B" and v.fixed()] or [step]
        gate = f"sigmoid(linear($1, {self.parameter()}, {hidden}) + linear($0, {self.parameter()}, {hidden}))"
        result = self.adding(body, f"$0 * 0.5 + 0.5 * {gate}", ("B", hidden), state, rows[-1])
        body.results = [result]
        text = f"scan($0, zeros($0, {{B, {hidden}}}), $body).output"
        return self.made(text, x.shape[:2] + (hidden,), x, body=body)

    def lambda_of(self, parameters, flag, count):
        body = Body(parameters, [], [])
        outer = list(self.visible)
        self.visible = self.visible + parameters * 3
        setattr(self, flag, getattr(self, flag) + 1)
        self.extend(body, count)
        setattr(self, flag, getattr(self, flag) - 1)
        self.visible = outer
        return body

    def made_in(self, body):
        return [statement.result for statement in body.statements if statement.result.type == "f32"]

    def adding(self, body, text, shape, *operands):
        statement = self.made(text, shape, *operands)
        body.statements.append(statement)
        return statement.result


D = Drawing
WORDS = ([D.unary, D.binary, D.linear, D.norm, D.attention, D.attention] * 2 +
         [D.chosen, D.matmul, D.gather, D.softmax_along, D.reduce, D.permute, D.folded, D.flattened, D.unsqueezed, D.stretched,
          D.sliced, D.last_position, D.joined, D.padded, D.reversed, D.rope, D.positions, D.convolution, D.convolution,
          D.strided, D.pool, D.plane, D.recurrence, D.repeat, D.repeat, D.scan])
WORDS_OF_STEPS = [D.unary, D.unary, D.binary, D.binary, D.linear, D.linear, D.norm, D.reduce, D.sliced, D.joined, D.padded,
                  D.permute, D.folded, D.unsqueezed, D.matmul]


def emit(body, indent):
    """The statements of a body as lines."""
    lines = []
    for each in body.statements:
        inner = ""
        if each.body:
            used = values_used(each.body)
            parameters = ", ".join(f"expr {value.name}" if id(value) in used else "expr" for value in each.body.parameters)
            results = ", ".join(value.name for value in each.body.results)
            end = f"return {results};" if len(each.body.parameters) == 1 else f"return scan_step{{{results}, {results}}};"
            inside = "".join(emit(each.body, indent + "  "))
            inner = f"[&]({parameters}) {{\n{inside}{indent}  {end}\n{indent}}}"
        fill = lambda found: inner if found[1] == "body" else each.operands[int(found[1])].name
        lines.append(f"{indent}const expr {each.result.name} = {re.sub(PLACE, fill, each.text)};\n")
    return lines


def declaration(drawing, name):
    """The model as C++."""
    lines = [f"constexpr auto {name} = model(\"{name}\", [](graph& g) {{\n"]
    used = values_used(drawing.body)
    for value in drawing.inputs:
        if id(value) in used:
            lines.append(f"  const expr {value.name} = g.input<{value.type}>(\"{value.name}\", {dims(value.shape)});\n")
    lines += emit(drawing.body, "  ")
    for i, value in enumerate(drawing.body.results):
        lines.append(f"  g.output(\"out{i}\", {value.name});\n")
    return "".join(lines) + "});\n"
