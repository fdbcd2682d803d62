"""Where a default compile breaks and what the break costs: one frame, callees, resumed frames, libraries."""

from __future__ import annotations

from snippet import Snippet

BREAKS = (
    Snippet(
        "clean",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                if self.training:
                    y = y + 1
                else:
                    y = y - 1
                return y.relu()
        """,
    ),
    Snippet(
        "branch",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                if y.sum() > 0:  # *: value
                    y = y * 2
                return y - 1
        """,
    ),
    Snippet(
        "print_first",
        """
        class Net(nn.Module):
            def forward(self, x):
                print("before any operator")  # compile, fullgraph: no-handler
                return x + 1
        """,
    ),
    Snippet(
        "no_tensors",
        """
        class Net(nn.Module):
            def forward(self, x, n):
                self.check(n)
                return n + 1

            def check(self, n):
                if n < 0:
                    raise ValueError(n)

        def make():
            return Net(), (torch.ones(3), 2), {}
        """,
        targets=("compile",),
    ),
    Snippet(
        "two_prints",
        """
        class Net(nn.Module):
            def forward(self, x):
                x = x + 1
                print("one")  # compile, fullgraph: no-handler
                x = x + 2
                print("two")  # compile: no-handler
                return x + 3
        """,
    ),
    Snippet(
        "loop",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x.sin()
                for _ in range(2):
                    y = y + 1
                    print("in a loop")  # compile, fullgraph: no-handler
                    y = y * 2
                return y.cos()
        """,
    ),
    Snippet(
        "branch_in_loop",
        """
        class Net(nn.Module):
            def forward(self, x):
                for _ in range(2):
                    if x.sum() > 0:  # *: value
                        x = x + 1
                return x
        """,
        targets=("compile", "fullgraph"),
    ),
    Snippet(
        "lock",
        """
        class Net(nn.Module):
            lock = threading.Lock()

            def forward(self, x):
                y = x + 1
                with self.lock:  # compile, fullgraph, export-strict: context
                    y = y * 2
                return y
        """,
        targets=("compile", "fullgraph", "export-strict"),
    ),
    Snippet(
        "in_try",
        """
        class Net(nn.Module):
            def forward(self, x):
                try:
                    y = x + 1
                    print("in a try block")  # compile, fullgraph: no-handler
                    y = y * 2
                except ValueError:
                    y = x
                return y
        """,
        targets=("compile", "fullgraph"),
    ),
    Snippet(
        "in_context_manager",
        """
        class Quiet:
            def __enter__(self):
                return self

            def __exit__(self, *problem):
                return None

        class Net(nn.Module):
            def forward(self, x):
                with Quiet():
                    y = x + 1
                    print("in a with block")  # compile: no-handler
                return y * 2
        """,
        targets=("compile",),
    ),
    Snippet(
        "rest_of_function",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                y = y * 2
                try:
                    raise ValueError(y.sum().item())  # compile: value
                except ValueError:
                    y = y + 3
                return y
        """,
        targets=("compile",),
    ),
    Snippet(
        "inlined",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = self.outer(x) * 2
                return self.inner(y)

            def outer(self, x):
                return self.inner(x) + 1

            def inner(self, x):
                y = x + 2
                print("deep")  # compile, fullgraph: no-handler
                return y
        """,
    ),
    Snippet(
        "library_breaks_twice",
        """
        import library

        class Net(nn.Module):
            def forward(self, x):
                y = x * 2
                y = library.noisy(y)  # compile: no-handler; compile: no-handler; fullgraph: no-handler
                return y + 1
        """,
        library="""
        def noisy(x):
            x = x + 1
            print("one")
            x = x * 2
            print("two")
            return x - 1
        """,
    ),
    Snippet(
        "library_called_twice",
        """
        import library

        class Net(nn.Module):
            def forward(self, x):
                y = library.noisy(x)  # compile: no-handler
                y = y * 2
                return library.noisy(y)  # compile: no-handler
        """,
        library="""
        def noisy(x):
            x = x + 1
            print("one")
            return x
        """,
        targets=("compile",),
    ),
)
