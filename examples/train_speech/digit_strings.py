#!/usr/bin/env python3
"""Makes lists for train_speech of the Free Spoken Digit Dataset: strings of 3 to 7 digits by one speaker, with silence between.

digit_strings.py RECORDINGS OUT [--leave-out SPEAKER]

RECORDINGS is a zip of the dataset's recordings/*.wav. OUT gets train.tsv and test.tsv with their sounds. Strings to learn from are of
the recordings 5 to 49 of each digit and speaker, strings to test by of 0 to 4. A speaker who is left out is in no string, and the test
is each of his recordings by itself."""

import argparse
import io
import pathlib
import sys
import wave
import zipfile

SPEAKERS = ["george", "jackson", "lucas", "nicolas", "theo", "yweweler"]
RATE = 8000


def drawn_by(seed):
    """draw(n): the next number below n."""
    x = seed

    def draw(n):
        nonlocal x
        x = (1664525 * x + 1013904223) % 2**32
        return (x >> 16) % n

    return draw


def samples_in(archive, name):
    with wave.open(io.BytesIO(archive.read(f"recordings/{name}.wav"))) as sound:
        found = (sound.getframerate(), sound.getnchannels(), sound.getsampwidth())
        if found != (RATE, 1, 2):
            sys.exit(f"recordings/{name}.wav: expected {RATE} Hz, one channel and 16 bits, found {found}")
        return sound.readframes(sound.getnframes())


def silence(samples):
    return bytes(2 * samples)


def strings(archive, speakers, seed, count, first, indices):
    """Pairs of samples and text."""
    draw = drawn_by(seed)
    for _ in range(count):
        speaker = speakers[draw(len(speakers))]
        digits = 3 + draw(5)
        sound, text = silence(400 + draw(1200)), ""
        for _ in range(digits):
            digit = draw(10)
            sound += samples_in(archive, f"{digit}_{speaker}_{first + draw(indices)}") + silence(400 + draw(1200))
            text += str(digit)
        yield sound, text


def single(archive, speaker):
    for digit in range(10):
        for index in range(50):
            yield silence(800) + samples_in(archive, f"{digit}_{speaker}_{index}") + silence(2400), str(digit)


def write(folder, name, pairs):
    (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.tsv", "w", encoding="utf-8") as lines:
        for number, (sound, text) in enumerate(pairs):
            file = f"{name}/{number:04}.wav"
            with wave.open(str(folder / file), "wb") as out:
                out.setparams((1, 2, RATE, 0, "NONE", ""))
                out.writeframes(sound)
            lines.write(f"{file}\t{text}\n")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("recordings", type=pathlib.Path)
    words.add_argument("out", type=pathlib.Path)
    words.add_argument("--leave-out", choices=SPEAKERS)
    given = words.parse_args()
    speakers = [s for s in SPEAKERS if s != given.leave_out]
    with zipfile.ZipFile(given.recordings) as archive:
        write(given.out, "train", strings(archive, speakers, seed=1, count=2000, first=5, indices=45))
        if given.leave_out:
            write(given.out, "test", single(archive, given.leave_out))
        else:
            write(given.out, "test", strings(archive, speakers, seed=2, count=300, first=0, indices=5))


if __name__ == "__main__":
    main()
