"""The letters of works in a mapped file: whatever happens to the file, what is read from it is right."""

import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprinter.alphabet import Initials
from fingerprinter.initials.to_initials import to_initials
from tests.support.sample_works import WORKS
from wenhen.fingerprints.letter_file import LetterCheck, LetterFile, WorkLetters, WorkVersion

TEXTS = {(f"work-{number}", 1): text for number, text in enumerate([*WORKS, "𠮷野家𠀋" * 9, ""])}
LETTERS = {version: WorkLetters.of(text, to_initials(text)) for version, text in TEXTS.items()}
LARGE = "安" * 400_000


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def describe(letters: Initials) -> tuple[object, ...]:
    """The initials as values that can be compared, with their types, on which compiled code depends."""
    columns = letters.codes, letters.starts, letters.ends
    return *((column.dtype, column.tolist()) for column in columns), letters.length, letters.in_order


ODD_TEXTS = [
    "",
    "。，！",
    "春天來了，萬物復蘇，大地換上新裝。",
    "他说 wo ming tian zai lai，然后走了，zhong guo 是大国",
    "2026年11月28日, the quick brown fox ﬁnally ① ㍿",
    "春江🌊潮水连海平👨‍👩‍👧，海上明月共潮生" * 3,
    "𠮷野家𠀋" * 9,
    WORKS[0][::-1],  # backwards
    WORKS[0].encode().decode("latin-1"),  # a wrong encoding
    "".join(f"&#{ord(character)};" for character in WORKS[0][:200]),
    "\n".join(map("".join, zip(*[iter(WORKS[0][:200])] * 10, strict=False))),  # columns
    "-".join(WORKS[0][:300]),
]


def read(file: LetterFile) -> dict[WorkVersion, tuple[list[int], list[int]]]:
    with file.map(TEXTS) as stored:
        return {version: (letters.codes.tolist(), letters.points.tolist()) for version, letters in stored.items()}


EXPECTED = {version: (letters.codes.tolist(), letters.points.tolist()) for version, letters in LETTERS.items()}


@pytest.fixture
def file(tmp_path: Path) -> LetterFile:
    written = LetterFile(tmp_path / "letters", str)
    written.put(LETTERS)
    return written


def data_path(folder: Path) -> Path:
    (path,) = (folder / "letters").glob("*.lmdb")
    return path


def test_what_was_put_is_read_back(file: LetterFile) -> None:
    assert read(file) == EXPECTED
    assert file.check([*TEXTS, ("another", 1), ("work-0", 2)]) == LetterCheck(len(TEXTS), 2, 0)
    assert file.size() > 0


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_the_initials_of_an_odd_text_are_those_that_its_reading_gives(tmp_path: Path, text: str) -> None:
    file = LetterFile(tmp_path / "letters", str)
    file.put({("odd", 1): WorkLetters.of(text, to_initials(text))})
    with file.map([("odd", 1)]) as stored:
        again = stored["odd", 1].initials_of(digest(text))
        assert again is not None
        assert stored["odd", 1].initials_of(digest(text + "。")) is None, "those of another text are not taken"
    assert describe(again) == describe(to_initials(text))


PIECES = st.sampled_from([*ODD_TEXTS, "春江潮水連海平", " wo ", "men ", "ni", "3.14", "ﬁ", "㍿", "\u200b", "\n"])


@given(st.lists(PIECES | st.text(max_size=40), max_size=8).map("".join))
def test_the_initials_of_any_text_are_those_that_its_reading_gives(text: str) -> None:
    letters = to_initials(text)
    again = WorkLetters.of(text, letters).initials_of(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    assert again is not None
    assert describe(again) == describe(letters)


def test_the_bounds_of_plain_characters_take_a_bit_each() -> None:
    text = WORKS[0]
    letters = WorkLetters.of(text, to_initials(text))
    assert len(letters.bounds) <= len(text) / 8 + 2


def test_the_owners_of_numbers_are_read_back(file: LetterFile, tmp_path: Path) -> None:
    names = {7: ("work-0", 1), 8: ("作品", 2**31)}
    file.put({}, names)
    assert file.find_names([7, 8, 9]) == names
    assert LetterFile(tmp_path / "letters", lambda: "restored").find_names([7]) == {}
    path = data_path(tmp_path)
    stored = bytearray(path.read_bytes())
    stored[stored.index("作品".encode())] ^= 1
    with path.open("r+b") as damaged:
        damaged.write(stored)
    assert file.find_names([7, 8]) == {7: ("work-0", 1)}
    assert read(file) == EXPECTED


def test_works_of_another_library_are_others(file: LetterFile, tmp_path: Path) -> None:
    other = LetterFile(tmp_path / "letters", lambda: "restored")
    assert read(other) == {}
    other.put({("work-0", 1): LETTERS["work-1", 1]})
    assert read(other) == {("work-0", 1): EXPECTED["work-1", 1]}
    assert read(file) == EXPECTED


def test_another_process_reads_it_while_this_one_holds_it(file: LetterFile, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from wenhen.fingerprints.letter_file import LetterFile\n"
        "file = LetterFile(Path(sys.argv[1]), str)\n"
        "with file.map([('work-0', 1), ('no', 1)]) as stored: print(len(stored))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "letters")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"
    assert read(file) == EXPECTED


def test_damaged_letters_are_absent_until_they_are_put_again(file: LetterFile, tmp_path: Path) -> None:
    path, codes = data_path(tmp_path), LETTERS["work-1", 1].codes.tobytes()
    stored = bytearray(path.read_bytes())
    place = stored.index(codes)
    stored[place + 5] ^= 1
    with path.open("r+b") as damaged:
        damaged.write(stored)
    assert read(file) == {version: letters for version, letters in EXPECTED.items() if version != ("work-1", 1)}
    assert file.check(TEXTS) == LetterCheck(len(TEXTS) - 1, 0, 1)
    file.put(LETTERS)
    assert read(file) == EXPECTED


@pytest.mark.parametrize("content", [b"", b"no database" * 1000, None], ids=["empty", "foreign", "cut off"])
def test_a_file_that_is_none_is_made_anew(file: LetterFile, tmp_path: Path, content: bytes | None) -> None:
    path = data_path(tmp_path)
    file.seal()
    path.write_bytes(path.read_bytes()[: 2 * 4096] if content is None else content)
    read(LetterFile(tmp_path / "letters", str))  # nothing is raised
    file.seal()
    anew = LetterFile(tmp_path / "letters", str)
    anew.put(LETTERS)
    assert read(anew) == EXPECTED


def test_without_room_nothing_is_put_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wenhen.fingerprints.letter_file.MAX_FILE_BYTES", 12 * 4096)
    file = LetterFile(tmp_path / "letters", str)
    first = dict([next(iter(LETTERS.items()))])
    file.put(first)
    many = WorkLetters.of(LARGE, to_initials(LARGE))
    file.put({("long", 1): many})
    assert "MDB_MAP_FULL" in caplog.text
    assert read(file) == {version: EXPECTED[version] for version in first}


FULL_DISK_SCRIPT = """
import subprocess, sys
from pathlib import Path
from fingerprinter.initials.to_initials import to_initials
from wenhen.fingerprints.letter_file import LetterFile, WorkLetters

def letters(number): return WorkLetters.of("𠮷" * number, to_initials("𠮷" * number))

disk = Path(sys.argv[1])
folder = disk / "letters"
file = LetterFile(folder, str)
if sys.argv[2:]:  # a worker that starts now
    print(file.check([("first", 1)]).there)
    raise SystemExit

def start_worker(): return subprocess.run([sys.executable, __file__, disk, "worker"], capture_output=True, text=True)

(disk / "room").write_bytes(bytes(1 << 20))
file.put({("first", 1): letters(900)})
for number in range(8):
    file.put({(f"large {number}", 1): letters(400_000)})
stored = file.check([(f"large {number}", 1) for number in range(8)])
with (disk / "filler").open("wb", buffering=0) as filler:
    try:
        while filler.write(bytes(4096)):
            pass
    except OSError as error:
        print(error.strerror)
print(file.check([("first", 1)]).there, 0 < stored.there < 8, stored.damaged)
next(folder.glob("*-lock")).unlink()  # as when the folder was copied here
worker = start_worker()
print(worker.returncode, worker.stdout.strip(), "No space left" in worker.stderr)
(disk / "room").unlink()
worker = start_worker()
print(worker.returncode, worker.stdout.strip())
file.put({("last", 1): letters(9)})
print(file.check([("last", 1)]).there)
"""
ROOT_OF_LINUX = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare") is not None


@pytest.mark.skipif(not ROOT_OF_LINUX, reason="only root of a Linux machine can mount a small disk")
def test_on_a_full_disk_nothing_is_lost_nobody_dies_and_with_room_again_it_goes_on(tmp_path: Path) -> None:
    script, disk = tmp_path / "full_disk.py", tmp_path / "disk"
    script.write_text(FULL_DISK_SCRIPT)
    disk.mkdir()
    mounted = f'mount -t tmpfs -o size=4m none {disk} && exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", sys.executable, script, disk],
        capture_output=True,
        text=True,
        check=False,
    )
    told = ["No space left on device", "1 True 0", "0 0 True", "0 1", "1"]
    assert (done.returncode, done.stdout.splitlines()) == (0, told), done.stderr


def test_a_file_of_another_generation_is_not_read_and_goes_when_nobody_writes_it(
    file: LetterFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = data_path(tmp_path)
    monkeypatch.setattr("wenhen.fingerprints.letter_file._FORM", -1)
    assert read(LetterFile(tmp_path / "letters", str)) == {}
    assert old.exists(), "workers of the other version may still write it"
    two_days_ago = time.time() - 2 * 86_400
    os.utime(old, (two_days_ago, two_days_ago))
    monkeypatch.setattr("wenhen.fingerprints.letter_file._FORM", -2)
    newest = LetterFile(tmp_path / "letters", str)
    newest.put(LETTERS)
    assert read(newest) == EXPECTED
    assert not old.exists()
    assert read(file) == EXPECTED, "a process that has mapped it reads on"


def test_a_process_that_is_killed_while_it_writes_leaves_it_whole(file: LetterFile, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from fingerprinter.initials.to_initials import to_initials\n"
        "from wenhen.fingerprints.letter_file import LetterFile, WorkLetters\n"
        "file = LetterFile(Path(sys.argv[1]), str)\n"
        "letters = WorkLetters.of('安' * 50_000, to_initials('安' * 50_000))\n"
        "for number in range(10**6):\n"
        "    file.put({(f'more-{number}-{each}', 1): letters for each in range(20)})\n"
        "    print(number, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "letters")], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        last = int(writer.stdout.readline())
        writer.kill()
        last = max([last, *(int(line) for line in writer.stdout if line.strip())])
    assert read(file) == EXPECTED
    assert file.check([(f"more-{number}-{each}", 1) for number in range(last + 1) for each in range(20)]).missing == 0
    file.put({("after", 1): LETTERS["work-0", 1]})
    assert file.check([("after", 1)]).there == 1, "the lock of the dead one holds up nobody"


def test_a_removed_file_is_read_on_by_who_has_mapped_it_and_made_by_the_next(file: LetterFile, tmp_path: Path) -> None:
    data_path(tmp_path).unlink()
    assert read(file) == EXPECTED
    file.seal()
    assert read(LetterFile(tmp_path / "letters", str)) == {}


CUT_OFF_SCRIPT = """
import sys
from pathlib import Path
from wenhen.fingerprints.letter_file import LetterFile
file = LetterFile(Path(sys.argv[1]), str, frozen=len(sys.argv) > 2)
for line in sys.stdin:
    print(file.check([("work-0", 1), ("work-1", 1)]).there, file.find_names([7]), flush=True)
"""


@pytest.mark.parametrize("left", [0, 4096, -4096], ids=["nothing left", "a page left", "a page gone"])
@pytest.mark.parametrize("frozen", [False, True])
def test_a_worker_lives_on_if_the_file_that_it_has_mapped_is_cut_off(
    file: LetterFile, tmp_path: Path, left: int, frozen: bool
) -> None:
    path = data_path(tmp_path)
    file.seal()
    command = [sys.executable, "-c", CUT_OFF_SCRIPT, str(path.parent), *(["frozen"] if frozen else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None

        def look() -> str:
            print(file=worker.stdin, flush=True)
            return next(iter(worker.stdout or [])).strip()

        assert look() == "2 {}"
        os.truncate(path, left if left >= 0 else path.stat().st_size + left)
        assert look() == "0 {}"
        assert path.exists() == frozen, "who starts now makes it anew"
        assert look() == "0 {}"
        worker.stdin.close()
        assert worker.wait() == 0


def test_a_sealed_file_is_read_where_nobody_may_write(file: LetterFile, tmp_path: Path) -> None:
    file.seal()
    assert [path.suffix for path in (tmp_path / "letters").iterdir()] == [".lmdb"]
    frozen = LetterFile(tmp_path / "letters", str, frozen=True)
    assert read(frozen) == EXPECTED
    frozen.put({("more", 1): LETTERS["work-0", 1]}, {1: ("more", 1)})
    assert (frozen.check([("more", 1)]).missing, frozen.find_names([1])) == (1, {}), "a frozen file stays as it is"
    assert [path.suffix for path in (tmp_path / "letters").iterdir()] == [".lmdb"]
    assert read(LetterFile(tmp_path / "elsewhere", str, frozen=True)) == {}
