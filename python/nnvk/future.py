"""Runs that have been started."""

import asyncio
from typing import TYPE_CHECKING, Any, Generator, List, Optional

from nnvk import _nnvk

if TYPE_CHECKING:
    from nnvk.model import Outputs


class Future:
    """A run that `Model.run_async()` has started.

    It keeps the model and the arrays, which must not change before the run has ended. A future that nobody needs any more waits for its run.
    `await future` gives the same as `result()`.
    """

    def __init__(self, run: _nnvk.PendingRun, names: List[str]) -> None:
        """`Model.run_async()` makes futures; programs do not."""
        self._run = run
        self._names = names

    def done(self) -> bool:
        """Whether the run has ended. Never waits."""
        return self._run.wait(0.0)

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits for at most `timeout` seconds (None: until the run has ended). Returns whether the run has ended."""
        return self._run.wait(timeout)

    def result(self, timeout: Optional[float] = None) -> "Outputs":
        """Waits for at most `timeout` seconds and returns the outputs.

        Raises TimeoutError if the run takes longer (call again to wait on), and Error if it has failed.
        """
        from nnvk.model import Outputs

        if not self._run.wait(timeout):
            raise TimeoutError(f"the run has not ended after {timeout} seconds")
        return Outputs(self._run.result(), self._names)

    @property
    def outputs(self) -> "Outputs":
        """The arrays that the run fills, without waiting. Their contents are undefined until the run has ended.

        They may be the inputs of another run that waits for this one: `second.run_async(first.outputs[0], wait_for=[first])`. Outputs of
        64-bit integers cannot: `result()` fills them.
        """
        from nnvk.model import Outputs

        return Outputs(self._run.arrays(), self._names)

    def fileno(self) -> int:
        """The file descriptor of the run's fence: it polls readable when the run has ended, with POLLERR if it has failed.

        The future owns it; `os.dup()` makes one to keep. Raises Error on devices without fences, such as "nnapi-reference".
        """
        fence = self._run.fence
        if fence < 0:
            raise _nnvk.Error("the device gives no fence; use wait(), or another device than nnapi-reference")
        return fence

    def __await__(self) -> Generator[Any, None, "Outputs"]:
        """Waits in an asyncio program without blocking it."""
        if not self.done():
            loop = asyncio.get_running_loop()
            if self._run.fence < 0:
                yield from loop.run_in_executor(None, self.wait).__await__()
            else:
                ended: "asyncio.Future[None]" = loop.create_future()
                loop.add_reader(self._run.fence, self._wake, ended)
                try:
                    yield from ended.__await__()
                finally:
                    loop.remove_reader(self._run.fence)
        return self.result()

    @staticmethod
    def _wake(ended: "asyncio.Future[None]") -> None:
        if not ended.done():
            ended.set_result(None)

    def __repr__(self) -> str:
        """Says whether the run has ended."""
        return f"<Future {'done' if self.done() else 'running'}>"
