"""What went wrong while something was done, as it is kept: the error by the name of its class, and what it says.

An error of ours says it in the reader's language. Another program's or library's says it in its own words, and
`store/sentences/failure.json` says what kind of failure that was: the words of the nearest of its classes that has any.
"""

from store.errors import WenhenError
from store.messages import Message, plain, sentences


def failure(error: BaseException, most: int | None = None) -> Message:
    """What an error says. most: characters of the first line of one that is not ours; all lines otherwise.

    >>> str(failure(ZeroDivisionError("by zero"))), failure(ZeroDivisionError("by zero")).text("zh")
    ('ZeroDivisionError: by zero', '程序出错（ZeroDivisionError: by zero）')
    """
    code = next(code for one in type(error).__mro__ if (code := f"failure.{one.__name__}") in sentences())
    if isinstance(error, WenhenError):
        return Message(code, {"reason": error.message})
    said = str(error) if most is None else str(error).partition("\n")[0][:most]
    return Message(code, {"error": plain(f"{type(error).__name__}: {said}".removesuffix(": "))})
