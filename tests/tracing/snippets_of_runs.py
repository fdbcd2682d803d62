"""What depends on how a module is called and by which tracer: second calls, modes, inputs, exports."""

from __future__ import annotations

from snippet import Snippet

RUNS = (
    Snippet(
        "second_call",
        """
        class Net(nn.Module):
            calls = 0

            def forward(self, x):
                y = x + 1
                if self.calls > 0:
                    print("not the first call")  # compile: no-handler
                self.calls += 1
                return y * 2
        """,
    ),
    Snippet(
        "second_call_fails",
        """
        class Net(nn.Module):
            def forward(self, x):
                if self.training:
                    self.eval()
                    return x + 1
                raise ValueError("once only")
        """,
        targets=("compile",),
    ),
    Snippet(
        "recompile_limit",
        """
        def step(x, tag):  # compile: internal
            return x + len(tag)

        class Net(nn.Module):
            def forward(self, x):
                for n in range(10):
                    print("eager from here")  # compile: no-handler
                    x = step(x, "a" * n)
                return x
        """,
        targets=("compile",),
    ),
    Snippet(
        "identity_returned",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                return y, id(y)  # compile, fullgraph: value
        """,
        targets=("compile", "fullgraph", "export-nonstrict"),
    ),
    Snippet(
        "compile_raises",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                try:
                    y = y @ torch.ones(7, 2)  # compile, fullgraph, export-strict: exception
                except RuntimeError:
                    y = y * 2
                return y
        """,
    ),
    Snippet(
        "after_call_over_lines",
        """
        class Net(nn.Module):
            def forward(self, x):
                size, longest = self.measure(x)
                return x * longest + size

            def measure(self, x):
                picked = torch.nonzero(  # compile: dynamic-shape
                    x.flatten(),
                    as_tuple=False,
                ).flatten()
                longest = x.max().item()  # compile: value
                return picked.sum(), longest
        """,
    ),
    Snippet(
        "two_on_a_line",
        """
        class Net(nn.Module):
            def forward(self, x):
                é = "zwölf"; y = x.sum().item() + x.max().item()  # compile: value; compile: value
                return x + y
        """,
    ),
    Snippet(
        "not_taken",
        """
        class Net(nn.Module):
            def forward(self, x, flag=False):
                if flag:
                    print("never")
                return x + 1

        def make():
            return Net().eval(), (torch.ones(3),), {"flag": False}
        """,
    ),
    Snippet(
        "without_grad",
        """
        class Net(nn.Module):
            def forward(self, x):
                if torch.is_grad_enabled():
                    print("with grad")
                return x + 1
        """,
        targets=("compile",),
        no_grad=True,
    ),
    Snippet(
        "plain_function",
        """
        def forward(x, scale):
            y = x * scale
            print("one")  # compile, fullgraph: no-handler
            return y

        def make():
            return forward, (torch.ones(3),), {"scale": 2.0}
        """,
    ),
    Snippet(
        "equal_shortcut",
        """
        class Net(nn.Module):
            def forward(self, x):
                if torch.equal(x, x + 1):  # *: value
                    return x
                return x * 2
        """,
        targets=("export-strict", "export-nonstrict"),
    ),
    Snippet(
        "numpy",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = self.through_numpy(x)
                return y + 1

            def through_numpy(self, x):
                return torch.from_numpy(x.numpy() * 2)  # export-nonstrict: value
        """,
        targets=("export-nonstrict",),
    ),
    Snippet(
        "logger_in_forward",
        """
        import logging

        class Net(nn.Module):
            def forward(self, x):
                logging.getLogger("net")  # compile, fullgraph, export-strict: skipped
                return x + 1
        """,
        targets=("compile", "export-strict"),
    ),
    Snippet(
        "input_not_exportable",
        """
        class Options:
            scale = 2.0

        class Net(nn.Module):
            def forward(self, x, options):
                return x * options.scale

        def make():
            return Net(), (torch.ones(3), Options()), {}
        """,
        targets=("compile", "export-strict", "export-nonstrict"),
    ),
    Snippet(
        "leaves",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                raise SystemExit("enough")
        """,
        targets=(),
    ),
    Snippet(
        "second_size",
        """
        class Net(nn.Module):
            sizes = [3, 5]

            def forward(self, x):
                y = torch.ones(self.sizes[0])
                self.sizes.reverse()
                if y.shape[0] > 3:
                    print("the larger one")  # compile: no-handler
                return x.sum() + y.sum()
        """,
        targets=("compile",),
    ),
    Snippet(
        "recompiled",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = self.half(x) + self.half(x.double())
                print("between")  # compile: no-handler
                return self.half(y)

            def half(self, x):
                print("half")  # compile: no-handler
                return x / 2
        """,
        targets=("compile",),
    ),
)
