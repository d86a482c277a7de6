"""The file SHA256SUMS of a folder, in the format of sha256sum."""

import hashlib

NAME = "SHA256SUMS"


def write(folder, files):
    """Write the file for those files of the folder."""
    names = sorted(path.relative_to(folder).as_posix() for path in files)
    text = "".join(f"{sha256(folder / name)}  {name}\n" for name in names)
    (folder / NAME).write_text(text, encoding="utf-8")


def read(folder):
    """Checksums by the name of the file."""
    lines = (folder / NAME).read_text(encoding="utf-8").splitlines()
    return {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}


def wrong(folder):
    """Names of the files that are missing or differ from their checksum."""
    return [
        name
        for name, checksum in read(folder).items()
        if not (folder / name).is_file() or sha256(folder / name) != checksum
    ]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
